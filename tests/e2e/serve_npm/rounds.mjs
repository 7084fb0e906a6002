// A round with a tool, streamed, by clients that nobody here wrote: the model calls, is told the result, and answers.
// node rounds.mjs PACKAGES URL MODEL KEY
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const [packages, url, model, key] = process.argv.slice(2);
const require = createRequire(packages + "/");
const { OpenAI } = require("openai");
const { Anthropic } = require("@anthropic-ai/sdk");
const { Ollama } = require("ollama");
const { ChatOpenAI } = require("@langchain/openai");
const { HumanMessage, ToolMessage } = require("@langchain/core/messages");
const { createOpenAICompatible } = require("@ai-sdk/openai-compatible");
const { stepCountIs, streamText, tool } = require("ai");
const { z } = require("zod");

const question = "What is the weather in Paris?";
const expected = { city: "Paris", days: 2 };
const answer = "It rains in Paris.";
const thought = "The tool knows.";
const thinks = model === "hermes";
const description = "Tells the weather.";
const parameters = {
  type: "object", properties: { city: { type: "string" }, days: { type: "integer" } }, required: ["city", "days"],
};
const openai = new OpenAI({ baseURL: url + "/v1/", apiKey: key, maxRetries: 0 });
const greedy = { model, temperature: 0 };

const clients = {
  async "openai, chat"() {
    const tools = [{ type: "function", function: { name: "weather", description, parameters } }];
    const messages = [{ role: "user", content: question }];
    const first = await openai.beta.chat.completions.stream({ ...greedy, messages, tools }).finalChatCompletion();
    const { message } = first.choices[0];
    assert.equal(first.choices[0].finish_reason, "tool_calls");
    assert.deepEqual(JSON.parse(message.tool_calls[0].function.arguments), expected);
    messages.push(message, { role: "tool", tool_call_id: message.tool_calls[0].id, content: "Rain." });
    const second = openai.beta.chat.completions.stream({ ...greedy, messages, tools });
    assert.equal(await second.finalContent(), answer);
  },

  async "openai, runTools"() {
    const calls = [];
    const run = (given) => { calls.push(given); return "Rain."; };
    const runner = openai.beta.chat.completions.runTools({
      ...greedy, stream: true, messages: [{ role: "user", content: question }],
      tools: [{ type: "function", function: { name: "weather", description, parameters, parse: JSON.parse, function: run } }],
    });
    assert.equal(await runner.finalContent(), answer);
    assert.deepEqual(calls, [expected]);
  },

  async "openai, responses"() {
    const tools = [{ type: "function", name: "weather", description, parameters, strict: true }];
    const input = [{ role: "user", content: question }];
    const deltas = [];
    const stream = openai.responses.stream({ ...greedy, input, tools, instructions: "Use tools." });
    stream.on("response.function_call_arguments.delta", (event) => deltas.push(event.delta));
    const first = await stream.finalResponse();
    assert.equal(first.status, "completed");
    const call = first.output.find((item) => item.type === "function_call");
    assert.deepEqual(JSON.parse(call.arguments), expected);
    assert.equal(deltas.join(""), call.arguments);
    if (thinks) assert.ok(JSON.stringify(first.output).includes(thought));
    input.push(...first.output, { type: "function_call_output", call_id: call.call_id, output: "Rain." });
    const second = await openai.responses.create({ ...greedy, input, tools, stream: true });
    let text = "", last = null;
    for await (const event of second) {
      if (event.type === "response.output_text.delta") text += event.delta;
      last = event;
    }
    assert.equal(text, answer);
    assert.equal(last.type, "response.completed");
    assert.ok(last.response.usage.input_tokens_details.cached_tokens > 0);
    const whole = await openai.responses.create({ ...greedy, input, tools });
    assert.equal(whole.output_text, answer);
  },

  async anthropic() {
    const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
    const tools = [{ name: "weather", description, input_schema: parameters }];
    const messages = [{ role: "user", content: question }];
    const body = { ...greedy, max_tokens: 200, tools, system: "Use tools." };
    const first = await client.messages.stream({ ...body, messages }).finalMessage();
    assert.equal(first.stop_reason, "tool_use");
    const call = first.content.find((block) => block.type === "tool_use");
    assert.deepEqual(call.input, expected);
    if (thinks) assert.equal(first.content[0].thinking.trim(), thought);
    messages.push({ role: "assistant", content: first.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "Rain." }] });
    assert.equal(await client.messages.stream({ ...body, messages }).finalText(), answer);
    const whole = await client.messages.create({ ...body, messages });
    assert.deepEqual([whole.content[0].text, whole.stop_reason], [answer, "end_turn"]);
    const error = await client.messages.create({ ...body, messages, model: "nobody" }).then(() => null, (each) => each);
    assert.ok(error instanceof Anthropic.NotFoundError && error.message.includes("not_found_error"), error?.message);
  },

  async ai() {
    const provider = createOpenAICompatible({ name: "inglenook", baseURL: url + "/v1", apiKey: key });
    const calls = [];
    const result = streamText({
      model: provider(model), temperature: 0, prompt: question, stopWhen: stepCountIs(2), maxRetries: 0,
      onError: ({ error }) => { throw error; },
      tools: { weather: tool({
        description, inputSchema: z.object({ city: z.string(), days: z.number().int() }),
        execute: async (given) => { calls.push(given); return "Rain."; },
      }) },
    });
    let text = "";
    for await (const piece of result.textStream) text += piece;
    assert.equal(text.trim(), answer);
    assert.deepEqual(calls, [expected]);
    if (thinks) assert.equal((await result.steps)[0].reasoningText.trim(), thought);
  },

  async langchain() {
    const chat = new ChatOpenAI({ model, temperature: 0, apiKey: key, maxRetries: 0, configuration: { baseURL: url + "/v1" } })
      .bindTools([{ type: "function", function: { name: "weather", description, parameters } }]);
    const messages = [new HumanMessage(question)];
    const heard = async () => {
      let all = null;
      for await (const piece of await chat.stream(messages)) all = all === null ? piece : all.concat(piece);
      return all;
    };
    const first = await heard();
    assert.deepEqual(first.tool_calls[0].args, expected);
    messages.push(first, new ToolMessage({ content: "Rain.", tool_call_id: first.tool_calls[0].id }));
    assert.equal((await heard()).content, answer);
  },

  async ollama() {
    const client = new Ollama({ host: url, headers: { Authorization: "Bearer " + key } });
    const { models } = await client.list();
    assert.ok(models.some((each) => each.name === model));
    assert.ok((await client.show({ model })).capabilities.includes("tools"));
    const tools = [{ type: "function", function: { name: "weather", description, parameters } }];
    const messages = [{ role: "user", content: question }];
    const heard = async () => {
      const message = { role: "assistant", content: "", thinking: "", tool_calls: [] };
      for await (const part of await client.chat({ model, messages, tools, stream: true, options: { temperature: 0 } })) {
        message.content += part.message.content;
        message.thinking += part.message.thinking ?? "";
        message.tool_calls.push(...(part.message.tool_calls ?? []));
      }
      return message;
    };
    const first = await heard();
    assert.deepEqual(first.tool_calls[0].function.arguments, expected);
    if (thinks) assert.equal(first.thinking.trim(), thought);
    messages.push(first, { role: "tool", tool_name: "weather", content: "Rain." });
    assert.equal((await heard()).content, answer);
  },
};

for (const [name, round] of Object.entries(clients)) {
  try {
    await round();
  } catch (error) {
    console.error(`${model}, ${name}: ${error.stack}`);
    process.exit(1);
  }
}
console.log(`${Object.keys(clients).length} clients with ${model}, Node ${process.version}`);
