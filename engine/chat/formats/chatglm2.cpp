// ChatGLM2: numbered rounds of 问 (question) and 答 (answer).
#include "engine/chat/prompt_format.h"
#include "engine/chat/prompt_writer.h"

namespace ingle::chat::chatglm2_prompt {
namespace {

bool suits(const formats::ModelFile& file) {
    const bool isChatGlm = file.metadata.stringOr("general.architecture", "").value_or("") == "chatglm";
    return isChatGlm && file.tokenizer.chatTemplate.empty() && !knowsMarkup(file, "<|user|>");
}

std::vector<tokenizer::TextSegment> render(std::span<const TextMessage> messages, GenerationPrompt add) {
    PromptWriter prompt;
    prompt.markup("[gMASK]sop");
    int round = 0;
    for (const TextMessage& message : messages) {
        if (message.role == Role::Assistant) {
            prompt.markup("\u7B54\uFF1A").message(message.text).markup("\n\n");
            continue;
        }
        if (message.role == Role::User) prompt.markup(fmt::format("[Round {}]\n\n\u95EE\uFF1A", ++round));
        prompt.message(message.text).markup("\n\n");
    }
    if (add == GenerationPrompt::Add) prompt.markup("\u7B54\uFF1A");
    return prompt.take();
}

}  // namespace

extern const PromptFormat prompt{
    .name = "chatglm2", .precedence = Precedence::OwnMark, .suits = suits, .renderer = render, .stops = {}};

}  // namespace ingle::chat::chatglm2_prompt
