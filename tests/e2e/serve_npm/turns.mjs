// Ten turns of a chat with a recurrent model: each reads only what is new. node turns.mjs PACKAGES URL MODEL KEY
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const [packages, url, model, key] = process.argv.slice(2);
const { OpenAI } = createRequire(packages + "/")("openai");
const client = new OpenAI({ baseURL: url + "/v1", apiKey: key, maxRetries: 0 });
const mostMarkup = 40; // tokens around an answer that has not begun
const messages = [{ role: "system", content: "Be brief. ".repeat(30) }];
let before = 0;
for (let turn = 0; turn < 10; ++turn) {
  messages.push({ role: "user", content: `Question ${turn}: ` + "the quick brown fox ".repeat(8) });
  const answer = await client.chat.completions.create({ model, messages, max_tokens: 20, temperature: 0 });
  const { prompt_tokens: tokens, prompt_tokens_details: details } = answer.usage;
  assert.ok(details.cached_tokens + mostMarkup >= before, `turn ${turn}: ${details.cached_tokens} of ${tokens}, ${before} before`);
  before = tokens;
  messages.push({ role: "assistant", content: answer.choices[0].message.content });
}
console.log(`10 turns, ${before} tokens`);
