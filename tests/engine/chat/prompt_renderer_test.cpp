/// The model's own template, and what happens where it does not work.
#include "engine/chat/prompt_renderer.h"

#include <gmock/gmock.h>

#include "engine/chat/tools.h"
#include "tests/engine/chat/template_run.h"

namespace ingle::chat {
namespace {

using testing::HasSubstr;

constexpr const char* kTemplate =
    "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>{{ m['content'] }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}";
constexpr const char* kNoSystem =
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}";

formats::ModelFile modelWith(std::string chatTemplate) {
    formats::ModelFile file;
    file.tokenizer.chatTemplate = std::move(chatTemplate);
    file.tokenizer.tokens = {"<s>", "</s>"};
    file.tokenizer.bos = 0;
    file.tokenizer.eos = 1;
    return file;
}

const std::vector<ChatMessage> kChat = {textMessage(Role::System, "Be brief."),
                                        textMessage(Role::User, "<|user|>")};

TEST(PromptRenderer, usesTheModelsTemplate) {
    const auto renderer = PromptRenderer::create(modelWith(kTemplate));
    EXPECT_EQ(renderer.name(), "template");
    EXPECT_EQ(renderer.fallbackReason(), "");
    const auto rendered = renderer.render(kChat, GenerationPrompt::Add);
    EXPECT_EQ(rendered.note, "");
    EXPECT_TRUE(rendered.stops.empty());
    EXPECT_EQ(textOf(rendered.segments), "<s><|system|>Be brief.</s><|user|><|user|></s><|assistant|>");
    EXPECT_EQ(textOf(renderer.render(kChat, GenerationPrompt::Omit).segments),
              "<s><|system|>Be brief.</s><|user|><|user|></s>");
}

TEST(PromptRenderer, rolesAreMarkupAndMessagesAreNot) {
    const auto rendered = PromptRenderer::create(modelWith(kTemplate)).render(kChat, GenerationPrompt::Add);
    std::vector<std::string> markup;
    for (const auto& segment : rendered.segments)
        if (segment.parseSpecial) markup.push_back(segment.text);
    EXPECT_THAT(markup, testing::ElementsAre("<s><|system|>", "</s><|user|>", "</s><|assistant|>"));
}

/// A picture between texts, whose own text is a mark of the caller's.
const std::vector<ChatMessage> kPictures = {
    {Role::User,
     {{PartKind::Image, "[0]", "a"}, {PartKind::Text, "What?", {}}, {PartKind::Image, "[1]", "b"}}},
    textMessage(Role::Assistant, "That."),
    textMessage(Role::User, "Thanks, <img>.")};

TEST(PromptRenderer, picturesStandWhereTheTemplateWritesThem) {
    // As Qwen2-VL's.
    const auto renderer = PromptRenderer::create(modelWith(
        "{% for m in messages %}<{{ m.role }}>{% if m.content is string %}{{ m.content }}{% else %}"
        "{% for c in m.content %}{% if c.type == 'image' %}<img><pad></img>{% else %}{{ c.text }}{% endif %}"
        "{% endfor %}{% endif %};{% endfor %}"));
    const auto rendered = renderer.render(kPictures, GenerationPrompt::Omit);
    EXPECT_EQ(rendered.note, "");
    EXPECT_EQ(textOf(rendered.segments), "<user>[0]What?[1];<assistant>That.;<user>Thanks, <img>.;");
}

TEST(PromptRenderer, aTemplateThatWantsListsGetsThem) {
    // As SmolVLM's, which drops what is no list.
    const auto renderer = PromptRenderer::create(
        modelWith("{% for m in messages %}{{ m.role | capitalize }}{% if m.content[0]['type'] == 'image' "
                  "%}:{% else %}: "
                  "{% endif %}{% for c in m.content %}{% if c['type'] == 'text' %}{{ c['text'] }}"
                  "{% elif c['type'] == 'image' %}<image>{% endif %}{% endfor %}<end>\n{% endfor %}"));
    EXPECT_EQ(textOf(renderer.render(kPictures, GenerationPrompt::Omit).segments),
              "User:[0]What?[1]<end>\nAssistant: That.<end>\nUser: Thanks, <img>.<end>\n");
}

TEST(PromptRenderer, aTemplateThatKnowsNoPicturesHasTheirTexts) {
    const auto renderer = PromptRenderer::create(modelWith(kTemplate));
    EXPECT_THAT(textOf(renderer.render(kPictures, GenerationPrompt::Omit).segments),
                HasSubstr("<|user|>[0]What?[1]</s>"));
}

TEST(PromptRenderer, aRefusedSystemMessageBeginsTheFirstQuestion) {
    const auto renderer = PromptRenderer::create(modelWith(kNoSystem));
    const auto rendered = renderer.render(kChat, GenerationPrompt::Add);
    EXPECT_EQ(textOf(rendered.segments), "<user>Be brief.\n\n<|user|>");
    EXPECT_EQ(rendered.note,
              "The chat template refuses this system message (System role not supported), so it begins the "
              "first question.");
    for (const auto& segment : rendered.segments)
        EXPECT_TRUE(!segment.parseSpecial || segment.text.find("brief") == std::string::npos);
}

TEST(PromptRenderer, toolsAreUndefinedWhereNoneFails) {
    const auto renderer = PromptRenderer::create(modelWith(
        "{% if tools is defined %}{% for t in tools %}{% endfor %}{% endif %}{{ messages[0].content }}"));
    const auto rendered = renderer.render(kChat, GenerationPrompt::Add);
    EXPECT_EQ(textOf(rendered.segments), "Be brief.");
    EXPECT_EQ(rendered.note, "");
}

TEST(PromptRenderer, thoughtsOfEarlierAnswersAreLeftOut) {
    const std::vector<ChatMessage> chat = {
        textMessage(Role::User, "<think>\nmine\n</think>\n\n"),
        {Role::Assistant, {{PartKind::Thought, "hm", {}}, {PartKind::Text, "Hello", {}}}},
        {Role::Assistant, {{PartKind::Text, "a", {}}, {PartKind::Thought, "unfinished", {}}}},
        textMessage(Role::User, "Bye")};
    for (const char* source : {"", kTemplate}) {
        const auto rendered = PromptRenderer::create(modelWith(source)).render(chat, GenerationPrompt::Add);
        const std::string text = textOf(rendered.segments);
        EXPECT_THAT(text, HasSubstr("Hello"));
        EXPECT_THAT(text, HasSubstr("mine"));
        EXPECT_THAT(text, testing::Not(HasSubstr("hm")));
        EXPECT_THAT(text, testing::Not(HasSubstr("unfinished")));
    }
    // A template decides itself, whatever it calls them.
    for (const std::string name : {"reasoning_content", "reasoning", "thinking"}) {
        const auto knowing = PromptRenderer::create(
            modelWith("{% for m in messages %}[{{ m." + name + " }}|{{ m.content }}]{% endfor %}"));
        EXPECT_THAT(textOf(knowing.render(chat, GenerationPrompt::Add).segments),
                    HasSubstr("[hm|Hello][unfinished|a]"));
    }
}

const std::vector<ChatMessage> kTwoCalls{
    textMessage(Role::User, "?"),
    {Role::Assistant,
     {{PartKind::ToolCall, R"({"name":"f","arguments":"{\"x\": 1.0}"})", "f", "id0000001"},
      {PartKind::ToolCall, R"({"name":"g","arguments":"{}"})", "g", "id0000002"}}},
    {Role::User,
     {{PartKind::ToolResult, "two", {}, "id0000002"}, {PartKind::ToolResult, "one", {}, "id0000001"}}}};

TEST(PromptRenderer, idsLinkCallsAndResults) {
    const auto renderer = PromptRenderer::create(modelWith(
        "{% for m in messages %}{% for c in m.tool_calls %}{{ c.id }}={{ c.function.name }};{% endfor "
        "%}{% if m.role == 'tool' %}{{ m.tool_call_id }}:{{ m.content }}{{ m.name }};{% endif %}{% endfor "
        "%}"));
    EXPECT_EQ(textOf(renderer.render(kTwoCalls, GenerationPrompt::Omit).segments),
              "id0000001=f;id0000002=g;id0000002:two;id0000001:one;");
    // Where nobody gave any, they are made, and results answer calls in order.
    auto messages = kTwoCalls;
    for (ChatMessage& message : messages)
        for (Part& part : message.parts) part.id.clear();
    EXPECT_EQ(textOf(renderer.render(messages, GenerationPrompt::Omit).segments),
              "call00000=f;call00001=g;call00000:two;call00001:one;");
}

TEST(PromptRenderer, argumentsAreObjectsOrTheTextThatWasGiven) {
    const auto with = [](const std::string& expression) {
        return textOf(
            PromptRenderer::create(modelWith("{% for m in messages %}{% for c in m.tool_calls %}[{{ " +
                                             expression + " }}]{% endfor %}{% endfor %}"))
                .render(kTwoCalls, GenerationPrompt::Omit)
                .segments);
    };
    EXPECT_EQ(with("c.function.arguments | tojson"), "[{\"x\": 1.0}][{}]");
    EXPECT_EQ(with("'' + c.function.arguments"), "[{\"x\": 1.0}][{}]");
}

TEST(PromptRenderer, anAnswerOfCallsAloneHasNoContent) {
    const auto with = [](const std::string& each) {
        return textOf(PromptRenderer::create(modelWith("{% for m in messages %}{% if m.tool_calls %}" + each +
                                                       "{% endif %}{% endfor %}"))
                          .render(kTwoCalls, GenerationPrompt::Omit)
                          .segments);
    };
    EXPECT_EQ(with("{{ m.content is none }}"), "True");
    EXPECT_EQ(with("[{{ m.content }}]"), "[]");
    EXPECT_EQ(with("[{{ m.content | trim ~ ('x' in m.content) }}]"), "[False]");
}

TEST(PromptRenderer, severalTextsStayAListWhereTheTemplateTakesOne) {
    const std::vector<ChatMessage> chat{{Role::User, {{PartKind::Text, "a", {}}, {PartKind::Text, "b", {}}}}};
    const auto with = [&chat](const std::string& each) {
        return textOf(PromptRenderer::create(modelWith("{% for m in messages %}" + each + "{% endfor %}"))
                          .render(chat, GenerationPrompt::Omit)
                          .segments);
    };
    EXPECT_EQ(with("{% for p in m.content %}<{{ p.text }}>{% endfor %}"), "<a><b>");
    EXPECT_EQ(with("{{ m.content }}"), "a\nb");
    EXPECT_EQ(with("{{ '' + m.content }}"), "a\nb");
}

TEST(PromptRenderer, aDeveloperIsOneWhereTheTemplateKnowsThem) {
    const std::vector<ChatMessage> chat{{Role::System, {{PartKind::Text, "rule", {}}}, true},
                                        textMessage(Role::User, "?")};
    const auto with = [&chat](const std::string& source) {
        return textOf(
            PromptRenderer::create(modelWith(source)).render(chat, GenerationPrompt::Omit).segments);
    };
    EXPECT_EQ(with("{% for m in messages %}{{ m.role }};{% endfor %}"), "system;user;");
    EXPECT_EQ(
        with("{% for m in messages %}{% if m.role == 'developer' %}D{{ m.content }}{% endif %}{% endfor %}"),
        "Drule");
    EXPECT_EQ(with("{% for m in messages %}{% if m.role in ['system', 'developer'] %}{{ m.role }}{% endif %}"
                   "{% endfor %}"),
              "system");
}

TEST(PromptRenderer, argumentsOfTheTemplateAreVariables) {
    const auto renderer =
        PromptRenderer::create(modelWith("{{ effort }}{{ docs[0].t }}{{ messages | length }}"))
            .inForm({.templateArguments = R"({"effort":"high","docs":[{"t":1}]})"});
    EXPECT_EQ(textOf(renderer.render(kChat, GenerationPrompt::Omit).segments), "high12");
}

TEST(PromptRenderer, aTemplateThatIsSetTakesThePlaceOfTheModelsOwn) {
    const auto own = PromptRenderer::create(modelWith(kTemplate));
    const auto given = own.inForm({.chatTemplate = "{% for m in messages %}[{{ m.content }}]{% endfor %}"});
    EXPECT_EQ(textOf(given.render(kChat, GenerationPrompt::Add).segments), "[Be brief.][<|user|>]");
    EXPECT_EQ(given.render(kChat, GenerationPrompt::Add).note, "");
    const std::string ofItsOwn = textOf(own.render(kChat, GenerationPrompt::Add).segments);
    // One that does not work gives way, with a sentence.
    const auto unreadable = own.inForm({.chatTemplate = "{% for %}"}).render(kChat, GenerationPrompt::Add);
    EXPECT_EQ(textOf(unreadable.segments), ofItsOwn);
    EXPECT_THAT(unreadable.note, HasSubstr("The chat template that was set cannot be read (line 1: "));
    const auto failing =
        own.inForm({.chatTemplate = "{{ raise_exception('no') }}"}).render(kChat, GenerationPrompt::Add);
    EXPECT_EQ(textOf(failing.segments), ofItsOwn);
    EXPECT_EQ(failing.note, "The chat template that was set failed (no), so it is not used.");
    // Nor one that works, and asks nothing.
    for (const char* source : {"{# nothing #}", "{{ messages[0].content }}", "constant"}) {
        const auto deaf = own.inForm({.chatTemplate = source}).render(kChat, GenerationPrompt::Add);
        EXPECT_EQ(textOf(deaf.segments), ofItsOwn) << source;
        EXPECT_EQ(deaf.note, "The chat template that was set leaves out the question, so it is not used.");
    }
    const auto lower = own.inForm({.chatTemplate = "{{ messages[1].content | upper }}"});
    EXPECT_EQ(textOf(lower.render(kChat, GenerationPrompt::Add).segments), "<|USER|>");
    const auto neither = PromptRenderer::create(modelWith("{% for %}")).inForm({.chatTemplate = "{% for %}"});
    const auto last = neither.render(kChat, GenerationPrompt::Add);
    EXPECT_THAT(last.note, HasSubstr("so it is not used. The model's chat template cannot be read"));
    EXPECT_FALSE(last.segments.empty());
}

TEST(PromptRenderer, aTemplateIsToldWhetherToThink) {
    const auto asks =
        PromptRenderer::create(modelWith("{% if enable_thinking is defined %}{{ 'on' if enable_thinking "
                                         "else 'off' }}{% else %}usual{% endif %}"));
    const auto rendered = [](const PromptRenderer& renderer, Thinking thinking) {
        return renderer.inForm({.thinking = thinking}).render(kChat, GenerationPrompt::Add);
    };
    EXPECT_EQ(textOf(rendered(asks, Thinking::AsUsual).segments), "usual");
    EXPECT_EQ(textOf(rendered(asks, Thinking::On).segments), "on");
    EXPECT_EQ(textOf(rendered(asks, Thinking::Off).segments), "off");
    EXPECT_EQ(rendered(asks, Thinking::Off).note, "");
    // One that does not ask, although the word is in it.
    for (const char* source : {kTemplate, "{{ messages[0].thinking }}{# 'thinking' #}", ""}) {
        const auto deaf = PromptRenderer::create(modelWith(source));
        EXPECT_THAT(rendered(deaf, Thinking::Off).note, HasSubstr("so the model decides")) << source;
        EXPECT_THAT(rendered(deaf, Thinking::AsUsual).note, testing::Not(HasSubstr("so the model decides")));
    }
}

constexpr const char* kToolTemplate =
    "{% if tools %}<tools>{% for t in tools %}{{ t | tojson }}{% endfor %}</tools>{% endif %}"
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% for c in m.tool_calls %}<call>{{ "
    "c.function.name }}:"
    "{{ c.function.arguments | tojson }}</call>{% endfor %}{% endfor %}";
constexpr const char* kTools =
    R"([{"type":"function","function":{"name":"weather","description":"In <|user|> a town.",)"
    R"("parameters":{"type":"object","b":1,"a":2}}}])";

std::vector<ChatMessage> chatWithCalls() {
    return {textMessage(Role::User, "Cold?"),
            {Role::Assistant,
             {{PartKind::Text, "I look.", {}},
              {PartKind::ToolCall, R"({"name":"weather","arguments":{"town":"Ulm","a":1}})", "weather"}}},
            {Role::User, {{PartKind::ToolResult, "Cold <|user|>.", "weather"}}},
            textMessage(Role::User, "So?")};
}

TEST(PromptRenderer, aTemplateThatAsksForToolsGetsThem) {
    const auto renderer =
        PromptRenderer::create(modelWith(kToolTemplate)).inForm({.chatTemplate = {}, .tools = kTools});
    const auto rendered = renderer.render(chatWithCalls(), GenerationPrompt::Omit);
    EXPECT_EQ(rendered.note, "");
    EXPECT_EQ(
        textOf(rendered.segments),
        R"(<tools>{"type": "function", "function": {"name": "weather", "description": "In <|user|> a town.", )"
        R"("parameters": {"type": "object", "b": 1, "a": 2}}}</tools><|user|>Cold?<|assistant|>I look.)"
        R"(<call>weather:{"town": "Ulm", "a": 1}</call><|tool|>Cold <|user|>.<|user|>So?)");
    // What tools say of themselves, and what they said, is no markup.
    size_t numMarks = 0;
    for (const auto& segment : rendered.segments)
        if (segment.parseSpecial && segment.text.find("<|user|>") != std::string::npos) ++numMarks;
    EXPECT_EQ(numMarks, 2u);
}

TEST(PromptRenderer, aTemplateThatDoesNotAskForToolsHasThemToldAsASystemMessage) {
    const auto renderer =
        PromptRenderer::create(modelWith(kTemplate)).inForm({.chatTemplate = {}, .tools = kTools});
    const std::string alone = textOf(renderer.render(chatWithCalls(), GenerationPrompt::Omit).segments);
    EXPECT_THAT(alone, testing::StartsWith("<s><|system|>You may call functions"));
    EXPECT_THAT(alone, HasSubstr(R"({"type":"function","function":{"name":"weather")"));
    EXPECT_THAT(alone, HasSubstr("<tool_response name=\"weather\">\nCold <|user|>.\n</tool_response>"));
    const std::string joined = textOf(renderer.render(kChat, GenerationPrompt::Omit).segments);
    EXPECT_THAT(joined, testing::StartsWith("<s><|system|>Be brief.\n\nYou may call functions"));
    const auto builtIn = PromptRenderer::create({}).inForm({.chatTemplate = {}, .tools = kTools});
    EXPECT_THAT(textOf(builtIn.render(kChat, GenerationPrompt::Omit).segments), HasSubstr("You may call"));
}

TEST(PromptRenderer, callsStandInTheTextOfTemplatesWithoutAPlaceForThem) {
    const auto renderer =
        PromptRenderer::create(modelWith("{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"));
    EXPECT_EQ(textOf(renderer.render(chatWithCalls(), GenerationPrompt::Omit).segments),
              "<user>Cold?<assistant>I look.\n<tool_call>\n"
              R"({"name":"weather","arguments":{"town":"Ulm","a":1}})"
              "\n</tool_call>\n<user><tool_response name=\"weather\">\nCold "
              "<|user|>.\n</tool_response>\n<user>So?");
    const auto knowing = PromptRenderer::create(modelWith(kToolTemplate));
    EXPECT_THAT(textOf(knowing.render(chatWithCalls(), GenerationPrompt::Omit).segments),
                HasSubstr("<call>weather:"));
}

TEST(PromptRenderer, aTemplateThatFailsWithToolsHasThemTold) {
    const auto renderer =
        PromptRenderer::create(modelWith("{% if tools %}{{ raise_exception('no tools') }}{% endif %}"
                                         "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"))
            .inForm({.chatTemplate = {}, .tools = kTools});
    const auto rendered = renderer.render(kChat, GenerationPrompt::Omit);
    EXPECT_EQ(rendered.note,
              "The chat template refuses these tools or calls (no tools), so they are told in words.");
    EXPECT_THAT(textOf(rendered.segments),
                testing::StartsWith("<system>Be brief.\n\nYou may call functions"));
}

TEST(PromptRenderer, aTemplateThatIsSetMayEndWithWhatAToolSaid) {
    auto messages = chatWithCalls();
    messages.pop_back();
    const auto renderer =
        PromptRenderer::create(modelWith(kTemplate)).inForm({.chatTemplate = kToolTemplate, .tools = kTools});
    EXPECT_EQ(renderer.render(messages, GenerationPrompt::Omit).note, "");
}

TEST(PromptRenderer, aCallThatIsNestedTooDeepIsItsText) {
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    const std::vector<ChatMessage> messages{
        {Role::Assistant, {{PartKind::ToolCall, R"({"name":"f","arguments":)" + deep + "}", "f"}}}};
    const auto renderer =
        PromptRenderer::create(modelWith(kToolTemplate)).inForm({.chatTemplate = {}, .tools = kTools});
    EXPECT_THAT(textOf(renderer.render(messages, GenerationPrompt::Omit).segments), HasSubstr("<call>f:"));
}

TEST(Tools, AreAListOfFunctionsOrRefused) {
    EXPECT_TRUE(checkTools(kTools));
    const std::string deep = R"([{"type":"function","function":{"name":"f","parameters":)" +
                             std::string(1000, '[') + std::string(1000, ']') + "}}]";
    for (const std::string& tools : std::vector<std::string>{
             "", "{}", "[]", "[", "[1]", R"([{"type":"function"}])",
             R"([{"type":"f","function":{"name":"f"}}])", R"([{"type":"function","function":{"name":5}}])",
             "[" + std::string(70'000, ' ') + "]", deep}) {
        const Status checked = checkTools(tools);
        ASSERT_FALSE(checked) << tools.substr(0, 80);
        EXPECT_EQ(checked.error().code, ErrorCode::InvalidArgument);
    }
}

TEST(PromptRenderer, saysWhyABuiltInFormatIsUsed) {
    const auto missing = PromptRenderer::create(modelWith(""));
    EXPECT_EQ(missing.name(), "plain");
    EXPECT_EQ(missing.fallbackReason(),
              "The model file has no chat template, so the chat format 'plain' is used.");
    EXPECT_EQ(missing.render(kChat, GenerationPrompt::Add).note, missing.fallbackReason());
    EXPECT_FALSE(missing.render(kChat, GenerationPrompt::Add).stops.empty());

    const auto unreadable = PromptRenderer::create(modelWith("<|im_start|>\n{% for %}"));
    EXPECT_EQ(unreadable.name(), "chatml");
    EXPECT_EQ(unreadable.fallbackReason(),
              "The model's chat template cannot be read (line 2: the end of the tag where a name belongs), "
              "so the chat "
              "format 'chatml' is used.");

    const auto failing =
        PromptRenderer::create(modelWith("<|im_start|>{{ raise_exception('not\ntoday' ~ 'x' * 500) }}"));
    EXPECT_EQ(failing.fallbackReason(), "");
    const auto rendered = failing.render(kChat, GenerationPrompt::Add);
    EXPECT_THAT(rendered.note, HasSubstr("failed (not\\ntodayxxx"));
    EXPECT_THAT(rendered.note, HasSubstr("the chat format 'chatml' is used"));
    EXPECT_LT(rendered.note.size(), 400U);
    EXPECT_FALSE(rendered.stops.empty());
    EXPECT_THAT(textOf(rendered.segments), HasSubstr("<|im_start|>user\n<|user|><|im_end|>"));
}

}  // namespace
}  // namespace ingle::chat
