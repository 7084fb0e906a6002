#include "engine/chat/turn_markup.h"

#include "engine/chat/jinja/text.h"
#include "engine/chat/prompt_writer.h"

namespace ingle::chat {
namespace {

std::string_view trimmed(std::string_view text) {
    const jinja::Range rest = jinja::stripped(text, jinja::Side::Both, jinja::isSpace);
    return text.substr(rest.begin, rest.size);
}

}  // namespace

std::vector<tokenizer::TextSegment> renderTurns(const TurnMarkup& markup,
                                                std::span<const TextMessage> messages, GenerationPrompt add) {
    PromptWriter prompt;
    prompt.markup(markup.begin);
    const auto write = [&](const Around& around, std::string_view text) {
        prompt.markup(around.before).message(text).markup(around.after);
    };
    const bool insideUser = markup.place == TurnMarkup::System::InsideUser;
    std::vector<std::string_view> held;  // system messages that wait for a user message
    for (const TextMessage& message : messages) {
        const std::string_view content = markup.trims ? trimmed(message.text) : message.text;
        switch (message.role) {
            case Role::System:
                if (insideUser)
                    held.push_back(content);
                else
                    write(markup.system, content);
                break;
            case Role::User:
                prompt.markup(markup.user.before);
                for (const std::string_view text : held) write(markup.system, text);
                held.clear();
                prompt.message(content).markup(markup.user.after);
                break;
            case Role::Assistant:
                write(markup.assistant, content);
                break;
        }
    }
    if (add == GenerationPrompt::Add) prompt.markup(markup.answer);
    return prompt.take();
}

}  // namespace ingle::chat
