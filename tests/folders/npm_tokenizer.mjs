// Token ids of texts by the npm package @huggingface/tokenizers: node npm_tokenizer.mjs PACKAGES FOLDER. One JSON text
// per line on standard input; on standard output a list of ids per line, or null where the package fails.
import fs from "node:fs";
import { createRequire } from "node:module";
import readline from "node:readline";

const [packages, folder] = process.argv.slice(2);
const { Tokenizer } = createRequire(`${packages}/package.json`)("@huggingface/tokenizers");
const read = (name) => JSON.parse(fs.readFileSync(`${folder}/${name}`, "utf8"));
// The package wants a decoder of every file.
const tokenizer = new Tokenizer({ decoder: { type: "ByteLevel" }, ...read("tokenizer.json") }, read("tokenizer_config.json"));
for await (const line of readline.createInterface({ input: process.stdin })) {
  let ids = null;
  try {
    ids = [...tokenizer.encode(JSON.parse(line), { add_special_tokens: false }).ids].map(Number);
  } catch {
    // The package throws for texts that it cannot cut.
  }
  console.log(JSON.stringify(ids));
}
