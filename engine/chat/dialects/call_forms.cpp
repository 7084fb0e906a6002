#include "engine/chat/dialects/call_form.h"

namespace ingle::chat {
namespace {

constexpr std::string_view kFunctionTags = "<function={name}>{parameters}</function>";
constexpr std::string_view kParameterTags = "<parameter={key}>\n{value}\n</parameter>";
constexpr std::string_view kDsmlCall =
    "<\uFF5CDSML\uFF5Cinvoke name=\"{name}\">{parameters}</\uFF5CDSML\uFF5Cinvoke>";
constexpr std::string_view kDsmlParameter =
    "<\uFF5CDSML\uFF5Cparameter name=\"{key}\" string=\"{type}\">{value}</\uFF5CDSML\uFF5Cparameter>";

constexpr CallForm kForms[] = {
    // Hermes, Qwen 2.5 and 3, and many others.
    {"<tool_call>", "</tool_call>", "{call}"},
    // Qwen3-Coder, Qwen3.5, Nemotron 3, StepFun 3.5; the second where the model left out the first mark.
    {"<tool_call>", "</tool_call>", kFunctionTags, kParameterTags, "<function="},
    {"<function=", "</tool_call>", "{name}>{parameters}</function>", kParameterTags, "<parameter="},
    {"<seed:tool_call>", "</seed:tool_call>", kFunctionTags, "<parameter={key}>{value}</parameter>"},
    // Functionary 3.1 and 3.2.
    {"<function=", "", "{name}>{arguments}</function>"},
    {">>>", "", "{name}\n{arguments}"},
    // GLM 4.5 and later, Ling 3, Laguna; Hunyuan.
    {"<tool_call>", "</tool_call>", "{name}{parameters}",
     "<arg_key>{key}</arg_key> <arg_value>{value}</arg_value>", "<arg_key>"},
    {"<tool_calls:opensource>", "</tool_calls:opensource>",
     "<tool_call:opensource>{name}<tool_sep:opensource>{parameters}</tool_call:opensource>",
     "<arg_key:opensource>{key}</arg_key:opensource> <arg_value:opensource>{value}</arg_value:opensource>",
     ":opensource"},
    // MiniMax M2; M1 and Apriel.
    {"<minimax:tool_call>", "</minimax:tool_call>", "<invoke name=\"{name}\">{parameters}</invoke>",
     "<parameter name=\"{key}\">{value}</parameter>"},
    {"<tool_calls>", "</tool_calls>", "{call}"},
    // MiniCPM 5.
    {"<function name=\"", "", "{name}\">{parameters}</function>", "<param name=\"{key}\">{xml}</param>"},
    // MiniMax M3.
    {"]<]minimax[>[<tool_call>", "]<]minimax[>[</tool_call>",
     "]<]minimax[>[<invoke name=\"{name}\">{parameters}]<]minimax[>[</invoke>",
     "]<]minimax[>[<{key}>{nested}]<]minimax[>[</{key}>", "]<]minimax[>["},
    // Muse.
    {"<|start|>assistant to=", "<|eom|>",
     "{any}<|message|> <atem:function_calls> <atem:invoke name=\"{name}\">{parameters}</atem:invoke> "
     "</atem:function_calls>",
     "<atem:parameter name=\"{key}\">{value}</atem:parameter>", "<atem:"},
    // DeepSeek V4; V3.2; V3.1; R1 and V3.
    {"<\uFF5CDSML\uFF5Ctool_calls>", "</\uFF5CDSML\uFF5Ctool_calls>", kDsmlCall, kDsmlParameter,
     "\uFF5CDSML\uFF5C"},
    {"<\uFF5CDSML\uFF5Cfunction_calls>", "</\uFF5CDSML\uFF5Cfunction_calls>", kDsmlCall, kDsmlParameter,
     "\uFF5CDSML\uFF5C"},
    {"<\uFF5Ctool\u2581calls\u2581begin\uFF5C>", "<\uFF5Ctool\u2581calls\u2581end\uFF5C>",
     "<\uFF5Ctool\u2581call\u2581begin\uFF5C>{name}<\uFF5Ctool\u2581sep\uFF5C>{arguments}"
     "<\uFF5Ctool\u2581call\u2581end\uFF5C>"},
    {"<\uFF5Ctool\u2581calls\u2581begin\uFF5C>", "<\uFF5Ctool\u2581calls\u2581end\uFF5C>",
     "<\uFF5Ctool\u2581call\u2581begin\uFF5C>function<\uFF5Ctool\u2581sep\uFF5C>{name}\n```json\n{arguments}"
     "\n```"
     "<\uFF5Ctool\u2581call\u2581end\uFF5C>"},
    // Kimi K2; K2 Thinking, which may leave out the section; K3.
    {"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>",
     "<|tool_call_begin|>{numbered}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>"},
    {"<|tool_call_begin|>", "<|tool_call_end|>", "{numbered}<|tool_call_argument_begin|>{arguments}"},
    {"<|open|>tools<|sep|>", "<|close|>tools<|sep|>",
     "<|open|>call tool=\"{name}\" index=\"{any}\"<|sep|>{parameters}<|close|>call<|sep|>",
     "<|open|>argument key=\"{key}\" type=\"{type}\"<|sep|>{value}<|close|>argument<|sep|>", "<|open|>"},
    // Mistral Small 3.2; Devstral and later; Nemo.
    {"[TOOL_CALLS]", "", "{name}[CALL_ID]{id}[ARGS]{arguments}"},
    {"[TOOL_CALLS]", "", "{name}[ARGS]{arguments}"},
    {"[TOOL_CALLS]", "", "{call}"},
    // gpt-oss: in the channel's header, or before it as its template writes them.
    {"<|start|>assistant<|channel|>commentary to=functions.",
     "<|call|>",
     "{name}{any}<|message|>{arguments}",
     {},
     "<|channel|>"},
    {"<|channel|>commentary to=functions.",
     "<|call|>",
     "{name}{any}<|message|>{arguments}",
     {},
     "<|channel|>"},
    {"<|channel|>analysis to=functions.", "<|call|>", "{name}{any}<|message|>{arguments}", {}, "<|channel|>"},
    {"<|start|>assistant to=functions.", "<|call|>", "{name}{any}<|message|>{arguments}", {}, "<|channel|>"},
    {" to=functions.", "<|call|>", "{name}{any}<|message|>{arguments}", {}, "<|channel|>"},
    // LFM2; Gemma 4.
    {"<|tool_call_start|>", "<|tool_call_end|>", "{python}"},
    {"<|tool_call_start|>", "<|tool_call_end|>", "{python}", {}, "List of tools: "},
    {"<|tool_call>", "<tool_call|>", "call:{name}{braces}"},
    // Granite 3; GigaChat 3; FireFunction 2; Nemotron Nano 2; Apertus; Llama 3, with its tag and without.
    {"<|tool_call|>", "", "{call}"},
    {"<|message_sep|>\n\nfunction call<|role_sep|>\n", "", "{call}", {}, "function call"},
    {"<|function_call|>", "", "{call}"},
    {" functools", "", "{call}", {}, "functools"},
    {"functools", "", "{call}"},
    {"<TOOLCALL>", "</TOOLCALL>", "{call}"},
    {"<|tools_prefix|>", "<|tools_suffix|>", "{call}"},
    {"<|python_tag|>", "", "{call}", {}, "ipython"},
    {"", "", "{call}", {}, "ipython"},
    {"{\"name\": \"", "", "{call}", {}, "ipython", true},
    // Command R7B; Command R.
    {"<|START_ACTION|>", "<|END_ACTION|>", "{call}"},
    {"Action:\n```json\n", "```", "{call}", {}, "Action:"},
};

using enum Markup::Counts;

constexpr Markup kMarkups[] = {
    // Qwen3, DeepSeek-R1, SmolLM3, GLM-4.5 and many others.
    {"<think>", "</think>", PartKind::Thought},
    {"<think:opensource>", "</think:opensource>", PartKind::Thought},  // Hunyuan
    {"<mm:think>", "</mm:think>", PartKind::Thought},                  // MiniMax M3
    {"</mm:think>", "", PartKind::Text},
    {"<seed:think>", "</seed:think>", PartKind::Thought},
    {"[THINK]", "[/THINK]", PartKind::Thought},                                                // Magistral
    {"Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]", PartKind::Thought, IfWritten},  // Apriel
    {"<|inner_prefix|>", "<|inner_suffix|>", PartKind::Thought, Anywhere},                     // Apertus
    // Command A.
    {"<|START_THINKING|>", "<|END_THINKING|>", PartKind::Thought, Anywhere},
    {"<|START_RESPONSE|>", "<|END_RESPONSE|>", PartKind::Text, Anywhere},
    {"<|START_TEXT|>", "<|END_TEXT|>", PartKind::Text, Anywhere},
    // Gemma 4, which also ends channels that are not open.
    {"<|channel>thought\n", "<channel|>", PartKind::Thought, Anywhere},
    {"<|channel>thought", "<channel|>", PartKind::Thought, Anywhere},
    {"<|channel><|channel>thought\n", "<channel|>", PartKind::Thought, Anywhere},
    {"<channel|>", "", PartKind::Text, Anywhere},
    // gpt-oss.
    {"<|channel|>analysis<|message|>", "<|end|>", PartKind::Thought, Anywhere},
    {"<|start|>assistant<|channel|>analysis<|message|>", "<|end|>", PartKind::Thought, Anywhere},
    {"<|channel|>commentary<|message|>", "<|end|>", PartKind::Text, Anywhere},
    {"<|start|>assistant<|channel|>commentary<|message|>", "<|end|>", PartKind::Text, Anywhere},
    {"<|channel|>commentary to=assistant", "", PartKind::Text, Anywhere},
    {"<|start|>assistant<|channel|>commentary to=assistant", "", PartKind::Text, Anywhere},
    {"<|channel|>final<|message|>", "", PartKind::Text, Anywhere},
    {"<|start|>assistant<|channel|>final<|message|>", "", PartKind::Text, Anywhere},
    {"<|channel|>final <|constrain|>json<|message|>", "", PartKind::Text, Anywhere},
    {"<|start|>assistant<|channel|>final <|constrain|>json<|message|>", "", PartKind::Text, Anywhere},
    // Kimi K3.
    {"<|open|>think<|sep|>", "<|close|>think<|sep|>", PartKind::Thought, Anywhere},
    {"<|open|>response<|sep|>", "<|close|>response<|sep|>", PartKind::Text, Anywhere},
    {"<|close|>message<|sep|>", "", PartKind::Text, Anywhere},
    // Muse.
    {"<|start|>assistant to=self<|message|>", "<|eom|>", PartKind::Thought, Anywhere},
    {"<|start|>assistant to=user<|message|>", "", PartKind::Text, Anywhere},
    {"<|eom|>", "", PartKind::Text, Anywhere},
    {"<|eot|>", "", PartKind::Text, Anywhere},
    {"<|role_end|>", "", PartKind::Text, Anywhere},  // Ling
    {">>>all\n", "", PartKind::Text},                // Functionary 3.2
};

}  // namespace

std::span<const CallForm> allCallForms() {
    return kForms;
}

std::span<const Markup> allMarkups() {
    return kMarkups;
}

}  // namespace ingle::chat
