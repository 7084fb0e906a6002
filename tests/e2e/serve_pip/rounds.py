"""A round with a tool, streamed, by clients from pip that nobody here wrote: the model calls, is told the result, and
answers. usage: rounds.py URL MODEL KEY"""
import json
import sys

import anthropic
import ollama
import openai

URL, MODEL, KEY = sys.argv[1:]
QUESTION = {"role": "user", "content": "What is the weather in Paris?"}
EXPECTED = {"city": "Paris", "days": 2}
ANSWER = "It rains in Paris."
SCHEMA = {
    "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city", "days"]
}
FUNCTION = {"name": "weather", "description": "Tells the weather.", "parameters": SCHEMA}


def expect(holds, what):
    if not holds:
        raise AssertionError(f"{MODEL}: {what}")


def by_openai():
    client = openai.OpenAI(base_url=URL + "/v1", api_key=KEY, max_retries=0)
    tools = [{"type": "function", "function": FUNCTION}]
    messages = [QUESTION]

    def ask():
        with client.chat.completions.stream(model=MODEL, messages=messages, tools=tools, temperature=0) as stream:
            for _ in stream:
                pass
            return stream.get_final_completion().choices[0]

    first = ask()
    expect(first.finish_reason == "tool_calls", first)
    (call, ) = first.message.tool_calls
    expect(json.loads(call.function.arguments) == EXPECTED, call)
    messages += [{
        "role": "assistant", "content": first.message.content, "tool_calls": [{
            "id": call.id, "type": "function", "function": {
                "name": call.function.name, "arguments": call.function.arguments
            }
        }]
    }, {"role": "tool", "tool_call_id": call.id, "content": "Rain."}]
    second = ask()
    expect(second.message.content == ANSWER, second)


def by_openai_responses():
    client = openai.OpenAI(base_url=URL + "/v1", api_key=KEY, max_retries=0)
    tools = [{"type": "function", "strict": True, **FUNCTION}]
    given = [QUESTION]

    def ask():
        with client.responses.stream(model=MODEL, input=given, tools=tools, temperature=0) as stream:
            for _ in stream:
                pass
            return stream.get_final_response()

    (call, ) = [item for item in ask().output if item.type == "function_call"]
    expect(json.loads(call.arguments) == EXPECTED, call)
    given += [{"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": call.arguments},
              {"type": "function_call_output", "call_id": call.call_id, "output": "Rain."}]
    second = ask()
    expect(second.output_text == ANSWER, second)


def by_anthropic():
    client = anthropic.Anthropic(base_url=URL, api_key=KEY, max_retries=0)
    tools = [{"name": "weather", "description": "Tells the weather.", "input_schema": SCHEMA}]
    messages = [QUESTION]

    def ask():
        with client.messages.stream(model=MODEL, max_tokens=500, messages=messages, tools=tools) as stream:
            for _ in stream:
                pass
            return stream.get_final_message()

    first = ask()
    expect(first.stop_reason == "tool_use", first)
    (call, ) = [block for block in first.content if block.type == "tool_use"]
    expect(call.input == EXPECTED, call)
    messages += [{"role": "assistant", "content": [block.model_dump() for block in first.content]},
                 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "Rain."}]}]
    second = ask()
    expect(second.content[-1].text == ANSWER, second)


def by_ollama():
    client = ollama.Client(host=URL, headers={"Authorization": f"Bearer {KEY}"})
    tools = [{"type": "function", "function": FUNCTION}]
    messages = [QUESTION]

    def ask():
        text, calls = "", []
        for part in client.chat(model=MODEL, messages=messages, tools=tools, stream=True, options={"temperature": 0}):
            text += part.message.content or ""
            calls += part.message.tool_calls or []
        return text, calls

    _, (call, ) = ask()
    expect(dict(call.function.arguments) == EXPECTED, call)
    messages += [{"role": "assistant", "content": "", "tool_calls": [call.model_dump()]},
                 {"role": "tool", "tool_name": "weather", "content": "Rain."}]
    text, _ = ask()
    expect(text == ANSWER, text)


for client in (by_openai, by_openai_responses, by_anthropic, by_ollama):
    client()
print(f"{MODEL}: a round by each of 4 clients")
