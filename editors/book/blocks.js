// Draws ```fab blocks once the words are known (words.js; the page has drawn its blocks before), puts above a block
// the name of the file that it is, or that it changes, and below it a link that opens the whole spec in the playground.
// The playground stands beside the book.
document.querySelectorAll("code.language-fab, code.language-csv").forEach((block) => {
  if (block.classList.contains("language-fab")) block.innerHTML = hljs.highlight("fab", block.textContent).value;
  const option = (name) => [...block.classList].find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const [file, into] = [option("file"), option("into")];
  if (file === undefined) return;
  const told = document.createElement("div");
  told.className = "file-of-block";
  told.textContent = into === undefined ? file : into === file ? `in ${file}` : `${file}: ${into} with`;
  block.closest("pre").before(told);
});

const page = location.pathname.split("/").pop().replace(/\.html$/, "");
if (page !== "print") {
  document.querySelectorAll("code.language-fab").forEach((block, number) => {
    const link = document.createElement("a");
    link.className = "try-it";
    link.textContent = "Try it";
    link.href = `${path_to_root}../playground/index.html#block=${page === "index" ? "introduction" : page}/${number}`;
    block.closest("pre").after(link);
  });
}
