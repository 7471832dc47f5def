// Draws ```fab blocks once the words are known (words.js; the page has drawn its blocks before), and puts above a
// block the name of the file that it is, or that it changes.
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
