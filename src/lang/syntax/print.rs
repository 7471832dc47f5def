//! The formatter: syntax to text.
//!
//! In: a file, parsed or made by [`super::normalize()`]. Out: its canonical layout. Invariants: printing the
//! parsed output changes nothing. Every comment survives. Blank lines stay, at most one in a row. A block
//! stands on one line if it fits and holds no comment. A comment in the middle of a line moves before the
//! line.

use super::ast::*;
use super::words::{self, UNKNOWN_GROUPS};
use fabc_base::diag::Span;

/// The widest line for a block, in columns.
const WIDTH: usize = 120;

/// The columns of one level of indentation.
const INDENT: usize = 4;

/// Formats one file. `use` items stay as they are.
pub fn print(file: &SpecFile) -> String {
    let mut printer =
        Printer { out: String::new(), comments: &file.comments, layout: &file.layout, depth: 0, last: None };
    let starts: Vec<u32> = file.entries.iter().map(|entry| entry_span(entry).start).collect();
    for (place, entry) in file.entries.iter().enumerate() {
        let next = starts.get(place + 1).copied().unwrap_or(u32::MAX);
        match entry {
            FileEntry::Item(item) => printer.line(&PrintedLine::item(item), next),
            FileEntry::Fabric(fabric) => printer.fabric(fabric, next),
        }
    }
    printer.comments_before(u32::MAX, None);
    if !printer.out.is_empty() {
        printer.out.push('\n');
    }
    printer.out
}

/// The text of those items of a normal form that `keeps` names, with its fabric.
pub fn print_items(normal: &Spec, keeps: impl Fn(&ItemKind) -> bool) -> String {
    let mut part = normal.clone();
    for file in &mut part.files {
        file.entries.retain_mut(|entry| match entry {
            FileEntry::Fabric(fabric) => {
                fabric.items.retain(|item| keeps(&item.kind));
                true
            }
            FileEntry::Item(item) => keeps(&item.kind),
        });
    }
    print_spec(&part)
}

/// Formats the spec's own file.
pub fn print_spec(spec: &Spec) -> String {
    print(&spec.files[0])
}

fn entry_span(entry: &FileEntry) -> Span {
    match entry {
        FileEntry::Fabric(fabric) => fabric.span,
        FileEntry::Item(item) => item.span,
    }
}

/// An item or a statement, prepared for printing.
struct PrintedLine<'a> {
    /// All text, or the text before the block.
    head: String,
    block: Option<&'a Block>,
    /// The items in the block of a slice.
    items: Option<&'a [Item]>,
    span: Span,
    /// In the canonical layout, a blank line separates lines of different groups.
    group: u8,
}

impl<'a> PrintedLine<'a> {
    fn item(item: &'a Item) -> Self {
        let (head, block) = match &item.kind {
            ItemKind::Use(used) => {
                with_semicolon(format!("use \"{}\"", used.path.value), used.changes.as_ref())
            }
            ItemKind::Let(Let { name, value }) => {
                (format!("let {} = {};", name.value, constant(value)), None)
            }
            ItemKind::Param(Param { name, value, among }) => {
                let among = match among {
                    None => String::new(),
                    Some(Among::Range(low, high, _)) => format!(" in {}..={}", quantity(low), quantity(high)),
                    Some(Among::List(items, _)) => {
                        format!(
                            " in [{}]",
                            items.iter().map(self::item_name_text).collect::<Vec<_>>().join(", ")
                        )
                    }
                };
                (format!("param {} = {}{among};", name.value, constant(value)), None)
            }
            ItemKind::Sweep(parameters) => {
                let lines: String = parameters
                    .iter()
                    .map(|swept| format!("{} = {}; ", swept.name.value, self::swept(swept)))
                    .collect();
                (
                    if parameters.is_empty() { "sweep {}".to_owned() } else { format!("sweep {{ {lines}}}") },
                    None,
                )
            }
            ItemKind::Setting(setting) => self::setting(setting),
            ItemKind::Link(name, block)
            | ItemKind::RouterKind(name, block)
            | ItemKind::Box(name, block)
            | ItemKind::Simulate(name, block)
            | ItemKind::Job(name, None, block) => {
                (format!("{} {}", item.kind.keyword(), name.value), Some(block))
            }
            ItemKind::Job(name, Some(JobSource { word, path }), block) => {
                (format!("job {} = {} \"{}\"", name.value, word.value, path.value), Some(block))
            }
            ItemKind::Boxes(boxes) => {
                (format!("boxes = {} of {};", expr(&boxes.count), boxes.kind.value), None)
            }
            ItemKind::Collective(setting) => {
                let (head, block) = self::setting(setting);
                (format!("collective {head}"), block)
            }
            ItemKind::Router(block)
            | ItemKind::Chip(block)
            | ItemKind::Cube(block)
            | ItemKind::Budget(block)
            | ItemKind::Failures(block)
            | ItemKind::Floor(block)
            | ItemKind::Addresses(block)
            | ItemKind::Demand(block) => (item.kind.keyword().to_owned(), Some(block)),
            ItemKind::Ocs(ocs) => (self::ocs(ocs), Some(&ocs.block)),
            ItemKind::Require(require) => {
                let (metric, comparison) = (&require.metric.value, &require.comparison.value);
                (format!("require {metric} {comparison} {};", required_value(require)), None)
            }
            ItemKind::Slice(name, _) => (format!("slice {}", name.value).trim_end().to_owned(), None),
            ItemKind::Unknown(keyword, name, block) => {
                let name = name.as_ref().map_or(String::new(), |name| format!(" {}", name.value));
                (format!("{}{name}", keyword.value), Some(block))
            }
        };
        let unknown = UNKNOWN_GROUPS[usize::from(matches!(item.kind, ItemKind::Unknown(..)))];
        let group = words::item(item.kind.keyword()).map_or(unknown, |known| known.group);
        let items = if let ItemKind::Slice(_, items) = &item.kind { Some(&items[..]) } else { None };
        PrintedLine { head, block, items, span: item.span, group }
    }

    fn statement(statement: &'a Statement) -> Self {
        let over =
            |over: &Option<Name>| over.as_ref().map_or(String::new(), |link| format!(" over {}", link.value));
        let (head, block) = match &statement.kind {
            StatementKind::Setting(setting) => self::setting(setting),
            StatementKind::Mesh(mesh) => (format!("mesh {}{};", dims(&mesh.dims), over(&mesh.over)), None),
            StatementKind::Part(part) => {
                with_semicolon(format!("{}{}", part_subject(part), over(&part.over)), part.block.as_ref())
            }
            StatementKind::Couple(couple) => {
                let ports = match &couple.ports {
                    Coupled::Sided(a, b) => format!("{} with {}", port(a), port(b)),
                    Coupled::AnyOf(listed) => {
                        format!("any of {}", listed.iter().map(port).collect::<Vec<_>>().join(", "))
                    }
                };
                (format!("couple {ports}{};", over(&couple.over)), None)
            }
            StatementKind::Component(component) => {
                let groups = component
                    .groups
                    .as_ref()
                    .map_or(String::new(), |size| format!(" over groups of {}", expr(size)));
                (format!("all_to_all{groups} weight {};", expr(&component.weight)), None)
            }
            StatementKind::Level(level) => {
                let joined =
                    level.joined.as_ref().map_or(String::new(), |joined| format!(" joined {}", expr(joined)));
                with_semicolon(
                    format!("level {}{joined}{}", expr(&level.blocks), over(&level.over)),
                    level.block.as_ref(),
                )
            }
            StatementKind::Operation(setting) => {
                let (head, block) = self::setting(setting);
                (format!("collective {head}"), block)
            }
            StatementKind::Inner(inner) => {
                let name = inner.name.as_ref().map_or(String::new(), |name| format!(" {}", name.value));
                (format!("{}{name}", inner.word.value), Some(&inner.block))
            }
            StatementKind::Change(change) => {
                let name = change.name.as_ref().map_or(String::new(), |name| format!(" {}", name.value));
                (format!("{}{name}", change.word.value), Some(&change.block))
            }
        };
        PrintedLine { head, block, items: None, span: statement.span, group: 0 }
    }

    /// The lines of the block, if there is one.
    fn lines(&self) -> Option<Vec<PrintedLine<'a>>> {
        let statements =
            self.block.map(|block| block.statements.iter().map(PrintedLine::statement).collect());
        statements.or_else(|| self.items.map(|items| items.iter().map(PrintedLine::item).collect()))
    }

    /// The line with its block, all on one line.
    fn inline(&self) -> String {
        let Some(lines) = self.lines() else { return self.head.clone() };
        let statements: Vec<String> = lines.iter().map(PrintedLine::inline).collect();
        if statements.is_empty() {
            format!("{} {{}}", self.head)
        } else {
            format!("{} {{ {} }}", self.head, statements.join(" "))
        }
    }
}

struct Printer<'a> {
    out: String,
    /// Comments that are not printed yet.
    comments: &'a [Comment],
    layout: &'a FileLayout,
    depth: usize,
    /// End and group of the last printed line in this block. `None` at the start of the block.
    last: Option<(u32, u8)>,
}

impl Printer<'_> {
    fn fabric(&mut self, fabric: &FabricItem, next: u32) {
        self.comments_before(fabric.span.start, None);
        self.begin(fabric.span.start, 0);
        self.out.push_str(&format!("fabric {} {{", fabric.name.value));
        let lines: Vec<PrintedLine<'_>> = fabric.items.iter().map(PrintedLine::item).collect();
        self.body(&lines, fabric.span, next);
    }

    /// Prints a line with its comments.
    fn line(&mut self, line: &PrintedLine<'_>, next: u32) {
        self.comments_before(line.span.start, None);
        let commented = self.comments.first().is_some_and(|comment| comment.span.start < line.span.end);
        let inline = line.inline();
        match line.lines() {
            Some(lines) if commented || self.depth * INDENT + inline.chars().count() > WIDTH => {
                self.begin(line.span.start, line.group);
                self.out.push_str(&format!("{} {{", line.head));
                self.body(&lines, line.span, next);
                if let Some((_, group)) = &mut self.last {
                    *group = line.group;
                }
            }
            _ => {
                self.comments_before(line.span.end, Some(line.span.start));
                self.begin(line.span.start, line.group);
                self.out.push_str(&inline);
                self.last = Some((line.span.end, line.group));
                self.trailing(next);
            }
        }
    }

    /// Prints the lines of a block and its closing brace.
    fn body(&mut self, lines: &[PrintedLine<'_>], span: Span, next: u32) {
        self.depth += 1;
        self.last = None;
        let end = span.end.saturating_sub(1);
        for (place, line) in lines.iter().enumerate() {
            self.line(line, lines.get(place + 1).map_or(end, |next| next.span.start));
        }
        self.comments_before(end, None);
        self.depth -= 1;
        self.out.push('\n');
        self.out.push_str(&" ".repeat(self.depth * INDENT));
        self.out.push('}');
        self.last = Some((span.end, 0));
        self.trailing(next);
    }

    /// Starts a new line for the item or comment that stood at `start`.
    fn begin(&mut self, start: u32, group: u8) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        if let Some((end, last_group)) = self.last {
            let blank = match self.layout {
                FileLayout::Source(_) => self.line_of(start) > self.line_of(end) + 1,
                FileLayout::Canonical => group != last_group,
            };
            if blank {
                self.out.push('\n');
            }
        }
        self.out.push_str(&" ".repeat(self.depth * INDENT));
    }

    /// Prints the comments before an offset on lines of their own. Comments inside a line count as standing
    /// at `inside`.
    fn comments_before(&mut self, limit: u32, inside: Option<u32>) {
        while let [comment, rest @ ..] = self.comments {
            if comment.span.start >= limit {
                break;
            }
            self.comments = rest;
            self.begin(inside.unwrap_or(comment.span.start), 0);
            self.out.push_str(&comment.text);
            self.last = Some((inside.unwrap_or(comment.span.end), 0));
        }
    }

    /// Prints the comments behind the last line, before `next`.
    fn trailing(&mut self, next: u32) {
        while let ([comment, rest @ ..], Some((end, group))) = (self.comments, self.last) {
            if comment.span.start >= next || self.line_of(comment.span.start) != self.line_of(end) {
                break;
            }
            self.comments = rest;
            self.out.push(' ');
            self.out.push_str(&comment.text);
            self.last = Some((comment.span.end, group));
        }
    }

    fn line_of(&self, offset: u32) -> usize {
        match self.layout {
            FileLayout::Source(lines) => lines.partition_point(|start| *start <= offset),
            FileLayout::Canonical => 0,
        }
    }
}

/// The word of a line of a box, with the parts that it names.
fn part_subject(part: &PartLine) -> String {
    let word = &part.word.value;
    match &part.subject {
        PartSubject::All if **word == *"mesh" => word.to_string(),
        PartSubject::All => format!("{word} all"),
        PartSubject::Range(range) => format!("{word} {}..{}", expr(&range.lo), expr(&range.hi)),
        PartSubject::Members(members) => {
            format!("{word} [{}]", members.iter().map(expr).collect::<Vec<_>>().join(", "))
        }
        PartSubject::Listed(path, _) => format!("{word} \"{}\"", path.value),
        PartSubject::Switches(name, None) => format!("{word} {}", name.value),
        PartSubject::Switches(name, Some(copies)) => format!("{word} {}[{}]", name.value, expr(copies)),
        PartSubject::Count(count) => format!("{word} = {}", expr(count)),
        PartSubject::Place(index, gpu) => format!("{word}[{}] at {}", index.value, expr(gpu)),
    }
}

fn setting(setting: &Setting) -> (String, Option<&Block>) {
    let name = &setting.name.value;
    match &setting.value.kind {
        ValueKind::Quantity(value) => (format!("{name} = {};", quantity(value)), None),
        ValueKind::Dims(kind, lengths, block) => {
            with_semicolon(format!("{name} = {} {}", kind.value, dims(lengths)), block.as_ref())
        }
        // A text without a word, which a `use` gives to a parameter.
        ValueKind::File(kind, text, _) if kind.value.is_empty() => {
            (format!("{name} = \"{}\";", text.value), None)
        }
        ValueKind::File(kind, path, block) => {
            with_semicolon(format!("{name} = {} \"{}\"", kind.value, path.value), block.as_ref())
        }
        ValueKind::Steps(Steps { first, last, step }) => {
            (format!("{name} = {} .. {} step {};", expr(first), expr(last), expr(step)), None)
        }
        ValueKind::Prefix(prefix) => (format!("{name} = {prefix};"), None),
        ValueKind::Product(factors) => (format!("{name} = {};", dims(factors)), None),
        ValueKind::List(items) => {
            (format!("{name} = [{}];", items.iter().map(item_name_text).collect::<Vec<_>>().join(", ")), None)
        }
        ValueKind::Router(router) => (format!("{name} = {};", item_name_text(router)), None),
        ValueKind::Limit(comparison, value) => {
            (format!("{name} {} {};", comparison.value, quantity(value)), None)
        }
        ValueKind::Block(kind, block) => (format!("{name} = {}", kind.value), Some(block)),
    }
}

/// Prints a name, in quotes if it could not be read without them.
fn item_name_text(name: &Name) -> String {
    let (head, tail) =
        name.value.split_once('[').map_or((&*name.value, None), |(head, tail)| (head, Some(tail)));
    let only = |text: &str, others: &str| {
        text.chars().all(|letter| letter.is_ascii_alphanumeric() || others.contains(letter))
    };
    // Any other text might begin a comment, open a bracket or lose its spaces.
    let with_semicolon =
        tail.is_none_or(|tail| tail.strip_suffix(']').is_some_and(|inside| only(inside, "_.,:+-")));
    if !head.is_empty() && only(head, "_.") && with_semicolon {
        name.value.to_string()
    } else {
        format!("\"{}\"", name.value)
    }
}

/// Adds a `;` to the text before a block if there is no block.
fn with_semicolon(head: String, block: Option<&Block>) -> (String, Option<&Block>) {
    if block.is_some() { (head, block) } else { (format!("{head};"), None) }
}

fn ocs(ocs: &OcsItem) -> String {
    let indices: Vec<String> =
        ocs.indices.iter().map(|index| format!("{} in {}", index.name.value, range(&index.range))).collect();
    let indices = if indices.is_empty() { String::new() } else { format!("[{}]", indices.join(", ")) };
    let cubes = ocs.cubes.as_ref().map_or(String::new(), |cubes| format!(" for cubes {}", range(cubes)));
    format!("ocs {}{indices}{cubes}", ocs.name.value)
}

/// The text of a face port, as it is written.
pub fn port(port: &CoupledPort) -> String {
    format!("{}[{}]", port.face.value, port.position.iter().map(expr).collect::<Vec<_>>().join(", "))
}

fn range(range: &IndexRange) -> String {
    format!("{}..{}", expr(&range.lo), expr(&range.hi))
}

fn dims(dims: &[Expr]) -> String {
    dims.iter().map(expr).collect::<Vec<_>>().join(" x ")
}

/// The text of a required value: `98 % of universal`, `1.05 * bound` or `10.5 GB/s`.
pub(super) fn required_value(require: &RequireItem) -> String {
    let value = quantity(&require.value);
    match &require.share {
        None => value,
        Some(RequiredShare { reference, percent: true }) => format!("{value} of {}", reference.value),
        Some(RequiredShare { reference, percent: false }) => format!("{value} * {}", reference.value),
    }
}

/// The text of a number with its unit, such as `128 GB/s`.
pub(super) fn quantity(quantity: &Quantity) -> String {
    let unit = quantity.unit.as_ref().map_or(String::new(), |unit| format!(" {}", unit.value));
    format!("{}{unit}", expr(&quantity.number))
}

/// The text of the value of a setting, or else of the whole statement.
pub(super) fn setting_text(statement: &Statement) -> String {
    let text = PrintedLine::statement(statement).inline();
    match &statement.kind {
        StatementKind::Setting(setting) => {
            let value = text.strip_prefix(&*setting.name.value).unwrap_or(&text).trim_start();
            value.strip_prefix("= ").unwrap_or(value).trim_end_matches(';').to_owned()
        }
        _ => text.trim_end_matches(';').to_owned(),
    }
}

/// The text of the values of a sweep, such as `1..=8, 10`.
pub fn swept(swept: &SweptParameter) -> String {
    let value_text = |value: &SweptValue| match value {
        SweptValue::One(value) => constant(value),
        SweptValue::Range { first, last, through } => {
            format!("{}{}{}", first.value, if *through { "..=" } else { ".." }, last.value)
        }
    };
    swept.values.iter().map(value_text).collect::<Vec<_>>().join(", ")
}

/// The text of the value of a constant.
pub(super) fn constant(written: &Constant) -> String {
    match &written.kind {
        ConstantKind::Quantity(value) => quantity(value),
        ConstantKind::Text(text) => format!("\"{}\"", text.value),
    }
}

/// The text of an expression.
pub fn expr(written: &Expr) -> String {
    match &written.kind {
        ExprKind::Integer(text) | ExprKind::Decimal(text) | ExprKind::Name(text) => text.to_string(),
        ExprKind::Negate(inner) => format!("-{}", expr(inner)),
        ExprKind::Paren(inner) => format!("({})", expr(inner)),
        ExprKind::Chain(first, rest) => {
            let rest: String = rest
                .iter()
                .map(|(operator, operand)| format!(" {} {}", operator.symbol(), expr(operand)))
                .collect();
            format!("{}{rest}", expr(first))
        }
    }
}

/// The text of an item on one line, as a sort key.
pub(super) fn one_line(item: &Item) -> String {
    PrintedLine::item(item).inline()
}
