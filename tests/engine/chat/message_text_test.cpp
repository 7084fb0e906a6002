/// Messages of parts as templates see them. Snapshots on disk are found by the bytes of a prompt, so a
/// conversation must give those that it gave when an answer was one text with marks in it.
#include "engine/chat/message_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engine/chat/prompt_renderer.h"
#include "tests/engine/chat/template_run.h"
#include "tests/golden.h"

namespace ingle::chat {
namespace {

using enum PartKind;

/// An answer as it was kept in one text, with what each kind stood between.
std::string withMarks(std::span<const Part> parts) {
    std::string text;
    PartKind last = Text;
    const auto close = [&] {
        if (last == Thought) text += "\n</think>\n\n";
        if (last == ToolCall) text += "\n```\n";
    };
    for (const Part& part : parts) {
        if (part.kind != last) {
            close();
            if (part.kind == Thought) text += "<think>\n";
            if (part.kind == ToolCall) text += "\n```tool_call\n";
            last = part.kind;
        }
        text += part.text;
    }
    if (last != Thought) close();  // an unfinished thought was left open
    return text;
}

/// What was done with thoughts of earlier answers where the template does not know them.
std::string withoutThoughts(std::string text) {
    const std::string_view open = "<think>\n", shut = "\n</think>\n\n";
    for (size_t begin = text.find(open); begin != text.npos; begin = text.find(open, begin)) {
        const size_t end = text.find(shut, begin);
        text.erase(begin, end == text.npos ? end : end + shut.size() - begin);
    }
    return text;
}

std::vector<std::vector<ChatMessage>> conversations() {
    const ChatMessage system = textMessage(Role::System, "Be brief.");
    const ChatMessage question = textMessage(Role::User, "Hi <think>\nmine\n</think>\n\n");
    const ChatMessage bye = textMessage(Role::User, "Bye");
    const std::vector<std::vector<Part>> answers{
        {{Thought, "\nhm\n", {}}, {Text, "\n\nHello", {}}},
        {{Thought, "hm", {}}, {Text, "Hello\n", {}}, {Thought, "more", {}}, {Text, "!", {}}},
        {{Text, "a", {}}, {Thought, "unfinished", {}}},
        {{Thought, "hm", {}}, {ToolCall, "\n{\"name\": \"f\"}\n", {}}},
        {{Text, "Let me see.", {}}, {ToolCall, "{1}", {}}, {ToolCall, "{2}", {}}, {Text, "So.", {}}},
        {{ToolCall, "{1}", {}}, {Thought, "a", {}}, {ToolCall, "{2}", {}}},
        {{Text, "\nplain\n\ntext\n", {}}},
    };
    std::vector<std::vector<ChatMessage>> all{{question}, {system, question}};
    for (const auto& answer : answers) {
        all.push_back({question, {Role::Assistant, answer}, bye});
        all.push_back({system, question, {Role::Assistant, answer}, bye, {Role::Assistant, answer}, bye});
    }
    return all;
}

void expectSamePrompts(const std::string& source) {
    formats::ModelFile file;
    file.tokenizer.chatTemplate = source;
    file.tokenizer.tokens = {"<s>", "</s>"};
    file.tokenizer.bos = 0;
    file.tokenizer.eos = 1;
    const auto renderer = PromptRenderer::create(file);
    const auto withAnswers = [](std::vector<ChatMessage> chat, const auto& textOfAnswer) {
        for (ChatMessage& message : chat)
            if (message.role == Role::Assistant)
                message = textMessage(message.role, textOfAnswer(message.parts));
        return chat;
    };
    const bool isKnowing = source.find("</think>") != source.npos;
    for (const auto& chat : conversations()) {
        auto before = renderer.render(withAnswers(chat, withMarks), GenerationPrompt::Add);
        if (!isKnowing || !before.note.empty()) {
            const auto cut = [](const auto& parts) { return withoutThoughts(withMarks(parts)); };
            before = renderer.render(withAnswers(chat, cut), GenerationPrompt::Add);
        }
        const auto now = renderer.render(chat, GenerationPrompt::Add);
        EXPECT_EQ(textOf(now.segments), textOf(before.segments));
        EXPECT_TRUE(std::ranges::equal(now.segments, before.segments, {},
                                       &tokenizer::TextSegment::parseSpecial,
                                       &tokenizer::TextSegment::parseSpecial));
    }
}

TEST(MessageText, promptsAreThoseOfMarkedTexts) {
    const std::string each = "{% for m in messages %}[{{ m.role }}|{{ m.content }}]{% endfor %}";
    for (const std::string& source :
         {std::string(), each, "{# </think> #}" + each,
          std::string(
              "{% for m in messages %}{{ m.content.split('</think>')[-1].lstrip('\\n') }}{% endfor %}")})
        expectSamePrompts(source);
}

TEST(MessageText, promptsOfPublishedTemplatesAreThoseOfMarkedTexts) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    size_t count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(test::goldenRoot() / "chat_templates" / "templates")) {
        SCOPED_TRACE(entry.path().filename());
        expectSamePrompts(test::readBytes(entry.path()));
        ++count;
    }
    EXPECT_GE(count, 27U);
}

TEST(MessageText, whatBelongsToAQuestionStandsBelowItsName) {
    const ChatMessage question{Role::User,
                               {{Attachment, "one\ntwo", "plan.txt"},
                                {Source, "three", "https://example.org"},
                                {Text, "What is this?", {}}}};
    EXPECT_EQ(messageText(question, Thoughts::Mark),
              "plan.txt:\n\none\ntwo\n\nhttps://example.org:\n\nthree\n\nWhat is this?");
    const ChatMessage answer{
        Role::Assistant,
        {{ToolCall, "clock()", "clock"}, {ToolResult, "12:00", "clock"}, {Text, "Noon.", {}}}};
    EXPECT_EQ(messageText(answer, Thoughts::Omit),
              "\n```tool_call\nclock()\n```\n\n```tool_result\n12:00\n```\nNoon.");
}

}  // namespace
}  // namespace ingle::chat
