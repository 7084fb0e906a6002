// Llama 2: <s>[INST] question [/INST] answer </s>, the system text inside the first question.
#include "engine/chat/prompt_format.h"
#include "engine/chat/prompt_writer.h"

namespace ingle::chat {
namespace {

int score(const formats::ModelFile& file) {
    return file.tokenizer.chatTemplate.find("[INST]") != std::string::npos ? 8 : 0;
}

std::vector<tokenizer::TextSegment> render(std::span<const ChatMessage> messages) {
    PromptWriter prompt;
    std::string system;
    for (const ChatMessage& message : messages) {
        switch (message.role) {
            case Role::System:
                system += (system.empty() ? "" : "\n") + message.text;
                break;
            case Role::User:
                prompt.markup("<s>[INST] ");
                if (!system.empty()) prompt.markup("<<SYS>>\n").message(system).markup("\n<</SYS>>\n\n");
                system.clear();
                prompt.message(message.text).markup(" [/INST]");
                break;
            case Role::Assistant:
                prompt.markup(" ").message(message.text).markup(" </s>");
                break;
        }
    }
    return prompt.take();
}

}  // namespace

extern const PromptFormat llama2_prompt;
const PromptFormat llama2_prompt{.name = "llama2", .score = score, .render = render, .stops = {}};

}  // namespace ingle::chat
