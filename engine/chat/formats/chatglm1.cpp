// ChatGLM-6B: a first question by itself, later rounds numbered from 0, and what begins the answer. Source:
// chat() in modeling_chatglm.py of THUDM/chatglm-6b.
#include <algorithm>

#include "engine/chat/prompt_format.h"
#include "engine/chat/prompt_writer.h"

namespace ingle::chat::chatglm1_prompt {
namespace {

bool suits(const formats::ModelFile& file) {
    const bool isFirst = file.metadata.stringOr("general.architecture", "").value_or("") == "chatglm1";
    return isFirst && file.tokenizer.chatTemplate.empty();
}

std::vector<tokenizer::TextSegment> render(std::span<const TextMessage> messages, GenerationPrompt add) {
    PromptWriter prompt;
    const bool hasRounds = std::ranges::find(messages, Role::Assistant, &TextMessage::role) != messages.end();
    int round = 0;
    for (const TextMessage& message : messages) {
        if (message.role == Role::Assistant) {
            prompt.markup("\u7B54\uFF1A").message(message.text).markup("\n");
            continue;
        }
        const bool isQuestion = message.role == Role::User;
        if (isQuestion && hasRounds) prompt.markup(fmt::format("[Round {}]\n\u95EE\uFF1A", round++));
        prompt.message(message.text);
        if (!isQuestion || hasRounds) prompt.markup("\n");
    }
    if (add == GenerationPrompt::Add) prompt.markup(hasRounds ? "\u7B54\uFF1A[gMASK]<sop>" : "[gMASK]<sop>");
    return prompt.take();
}

}  // namespace

extern const PromptFormat prompt{.name = "chatglm1",
                                 .precedence = Precedence::Architecture,
                                 .suits = suits,
                                 .renderer = render,
                                 .stops = {}};

}  // namespace ingle::chat::chatglm1_prompt
