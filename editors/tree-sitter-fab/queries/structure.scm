(comment) @comment
[(string) (quoted)] @string
[(integer) (decimal) (compact) (dotted)] @number
(unit) @type.builtin
(comparison) @operator
["=" "+" "-" "*" "/" ".." "..="] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
[";" ","] @punctuation.delimiter
(face) @variable.member
(bracketed) @variable
(all_gpus) @constant.builtin

[
  "fabric" "use" "let" "param" "sweep" "link" "router" "box" "boxes" "chip" "cube" "ocs" "budget" "failures" "floor"
  "addresses" "demand" "simulate" "collective" "job" "phase" "send" "require" "slice" "mesh" "couple" "all_to_all" "level" "joined" "groups" "weight" "any" "of" "with" "over"
  "switch" "join" "links" "nics" "nic" "at" "in" "for" "cubes" "step" "x"
] @keyword
