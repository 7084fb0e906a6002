// Asks ingle-serve with the client that OpenAI publishes. node client.mjs PACKAGES URL MODEL EMBEDDING-MODEL KEY
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const [packages, url, model, embedder, key] = process.argv.slice(2);
const OpenAI = createRequire(packages + "/")("openai").OpenAI;
const client = new OpenAI({ baseURL: url + "/v1", apiKey: key, maxRetries: 0 });
const messages = [{ role: "user", content: "How do I import a model?" }];
const greedy = { model, messages, temperature: 0 };

async function refusal(work, kind, check) {
  const error = await work().then(() => assert.fail("it was not refused"), (error) => error);
  assert.ok(error instanceof kind, `${error.constructor.name} in place of ${kind.name}: ${error.message}`);
  check?.(error);
}

const checks = {
  async models() {
    const names = [];
    for await (const each of client.models.list()) names.push(each.id);
    assert.deepEqual(names, [model, embedder]);
  },

  async chat() {
    const answer = await client.chat.completions.create(greedy);
    assert.match(answer.choices[0].message.content, /window/);
    assert.equal(answer.choices[0].finish_reason, "stop");
    assert.equal(answer.usage.total_tokens, answer.usage.prompt_tokens + answer.usage.completion_tokens);
  },

  async stream() {
    const whole = (await client.chat.completions.create(greedy)).choices[0].message.content;
    const stream = await client.chat.completions.create({ ...greedy, stream: true, stream_options: { include_usage: true } });
    let text = "", usage = null, chunks = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
      ++chunks;
    }
    assert.equal(text, whole);
    assert.ok(chunks > 5 && usage.completion_tokens > 0);
    // The helper that puts chunks together is content with them, too.
    const helped = client.beta.chat.completions.stream(greedy);
    let heard = "";
    helped.on("content", (delta) => { heard += delta; });
    assert.equal(await helped.finalContent(), whole);
    assert.equal(heard, whole);
  },

  async completions() {
    const answer = await client.completions.create({ model, prompt: "Inglenook is", max_tokens: 6, temperature: 0 });
    assert.ok(answer.choices[0].text.length > 0);
  },

  // A whole round: the model asks, is told, and answers.
  async tools() {
    const tools = [{ type: "function", function: { name: "weather", description: "The weather of a city.", parameters: {
      type: "object", properties: { city: { enum: ["Paris", "Rome"] } }, required: ["city"], additionalProperties: false } } }];
    const asked = [{ role: "user", content: "What is the weather in Paris?" }];
    const first = await client.chat.completions.create({ ...greedy, messages: asked, tools, tool_choice: "required" });
    const { message, finish_reason: reason } = first.choices[0];
    assert.equal(reason, "tool_calls");
    const [call] = message.tool_calls;
    assert.equal(call.function.name, "weather");
    assert.ok(["Paris", "Rome"].includes(JSON.parse(call.function.arguments).city));
    const told = { role: "tool", tool_call_id: call.id, content: "It rains." };
    const second = await client.chat.completions.create({ ...greedy, messages: [...asked, message, told], tools });
    assert.ok(second.choices[0].message.content.length > 0);
    // The same, where the client runs the functions itself.
    const calls = [];
    const runner = client.beta.chat.completions.runTools({ ...greedy, messages: asked, tool_choice: { type: "function", function: { name: "weather" } }, tools: [
      { type: "function", function: { ...tools[0].function, parse: JSON.parse, function: ({ city }) => { calls.push(city); return "It rains."; } } }] });
    await runner.done();
    assert.equal(calls.length, 1);
    // Streamed calls are put together by the client.
    const streamed = await client.beta.chat.completions.stream({ ...greedy, messages: asked, tools, tool_choice: "required" }).finalChatCompletion();
    assert.deepEqual(streamed.choices[0].message.tool_calls[0].function.arguments, call.function.arguments);
  },

  async schema() {
    const schema = { type: "object", properties: { name: { type: "string", maxLength: 10 }, age: { type: "integer", minimum: 0, maximum: 99 } },
      required: ["name", "age"], additionalProperties: false };
    const answer = await client.beta.chat.completions.parse({ ...greedy, response_format: { type: "json_schema", json_schema: { name: "person", strict: true, schema } } });
    const person = JSON.parse(answer.choices[0].message.content);
    assert.deepEqual(Object.keys(person), ["name", "age"]);
    assert.ok(person.name.length <= 10 && Number.isInteger(person.age));
  },

  // Without a format the client asks for base64 and unpacks it.
  async embeddings() {
    const input = ["a lamp", "the light of a house"];
    const packed = await client.embeddings.create({ model: embedder, input });
    const plain = await client.embeddings.create({ model: embedder, input, encoding_format: "float" });
    assert.equal(packed.data.length, 2);
    for (const [index, each] of packed.data.entries()) {
      assert.deepEqual([...Float32Array.from(each.embedding)], [...Float32Array.from(plain.data[index].embedding)]);
    }
  },

  async errors() {
    await refusal(() => client.chat.completions.create({ ...greedy, temperature: 5 }), OpenAI.BadRequestError, (error) => {
      assert.equal(error.param, "temperature");
      assert.equal(error.type, "invalid_request_error");
    });
    await refusal(() => client.chat.completions.create({ ...greedy, model: "gpt-4o" }), OpenAI.NotFoundError, (error) => assert.equal(error.code, "model_not_found"));
    await refusal(() => client.chat.completions.create({ ...greedy, messages: [{ role: "user", content: "word ".repeat(20000) }] }), OpenAI.BadRequestError,
      (error) => assert.equal(error.code, "context_length_exceeded"));
    const stranger = new OpenAI({ baseURL: url + "/v1", apiKey: "not the key, for sure", maxRetries: 0 });
    await refusal(() => stranger.models.list(), OpenAI.AuthenticationError);
    // More answers than there is room for; who comes again when told gets one.
    const most = Array.from({ length: 6 }, () => client.chat.completions.create({ ...greedy, n: 8, grammar: "root ::= [a-z]{60}" }).then(() => null, (error) => error));
    const refused = (await Promise.all(most)).filter((error) => error !== null);
    assert.ok(refused.length > 0 && refused.length < 6, `${refused.length} of 6 were refused`);
    for (const error of refused) {
      assert.ok(error instanceof OpenAI.RateLimitError, error.message);
      assert.ok(Number(error.headers["retry-after"]) >= 1);
    }
    const patient = new OpenAI({ baseURL: url + "/v1", apiKey: key, maxRetries: 10 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => patient.chat.completions.create({ ...greedy, n: 8, max_tokens: 4 })));
    assert.ok(answers.every((each) => each.choices.length === 8));
  },

  async abort() {
    const stream = await client.chat.completions.create({ ...greedy, grammar: "root ::= [a-z ]{2000}", stream: true });
    let chunks = 0;
    for await (const _ of stream) if (++chunks === 3) break;  // which aborts it
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    await refusal(() => client.chat.completions.create({ ...greedy, grammar: "root ::= [a-z ]{2000}" }, { signal: controller.signal }), OpenAI.APIUserAbortError);
    const deadline = Date.now() + 5000;
    for (;;) {
      const metrics = await (await fetch(url + "/metrics", { headers: { Authorization: "Bearer " + key } })).text();
      if (metrics.includes("\ningle_answers_under_way 0\n")) break;
      assert.ok(Date.now() < deadline, "an answer that was aborted is still under way");
    }
  },
};

for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
  } catch (error) {
    console.error(`${name}: ${error.stack}`);
    process.exit(1);
  }
}
console.log(`${Object.keys(checks).length} checks, Node ${process.version}`);
