/// Answers that follow a grammar or a schema: what they are, resumed, stopped, beside others, and behind a
/// thought.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/lab/synth.h"
#include "engine/session/conversations/answer_rules.h"
#include "ingle/engine.h"
#include "tests/engine/session/recording_scores.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle {
namespace {

using test::RecordingSink;

constexpr const char* kPerson = R"({"type":"object","properties":{
    "name":{"type":"string","minLength":1,"maxLength":8},"age":{"type":"integer","minimum":0,"maximum":120},
    "tags":{"type":"array","items":{"enum":["a","b"]},"maxItems":3}},"required":["name","age"]})";

/// True for what kPerson asks.
bool isPerson(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("name") || !json["name"].is_string()) return false;
    for (const auto& [key, value] : json.items())
        if (key != "name" && key != "age" && key != "tags") return false;
    const auto age = json.value("age", nlohmann::json());
    if (!age.is_number_integer() || age < 0 || age > 120) return false;
    const auto tags = json.value("tags", nlohmann::json::array());
    return tags.is_array() && tags.size() <= 3 &&
           std::ranges::all_of(tags, [](const auto& tag) { return tag == "a" || tag == "b"; });
}

/// All that are submitted run at once.
std::vector<RecordingSink> answersOf(Engine& engine, const std::vector<GenerateRequest>& requests) {
    std::vector<RecordingSink> sinks(requests.size());
    for (size_t i = 0; i < requests.size(); ++i) {
        const auto id = engine.submit(requests[i], sinks[i]);
        if (!id) sinks[i].error = id.error();
    }
    while (engine.step()) {
    }
    return sinks;
}

RecordingSink answerOf(Engine& engine, const GenerateRequest& request) {
    return answersOf(engine, {request}).front();
}

/// All that the answer shows, with what was held back.
std::string textOf(const RecordingSink& sink) {
    return sink.text + (sink.result ? test::allText(sink.result->tail) : "");
}

GenerateRequest question(uint64_t seed) {
    GenerateRequest request;
    request.messages = {textMessage(Role::User, "Where do I get a model?")};
    request.sampler = {.temperature = 1, .topK = 0, .topP = 1, .minP = 0, .seed = seed};
    request.maxTokens = 200;
    return request;
}

/// A model that writes sense, and a control token before each answer.
class GuideUnderRules : public testing::Test {
  protected:
    std::unique_ptr<Engine> m_engine =
        Engine::load(INGLE_SOURCE_DIR "/resources/guide/guide.gguf", {.contextTokens = 512}, nullptr).value();
};

TEST_F(GuideUnderRules, aGrammarThatAllowsEverythingChangesNothing) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        GenerateRequest request = question(seed);
        request.sampler.temperature = 0.8F;
        const RecordingSink freely = answerOf(*m_engine, request);
        request.grammar = "root ::= .*";
        const RecordingSink ruled = answerOf(*m_engine, request);
        EXPECT_EQ(ruled.ids, freely.ids) << seed;
        EXPECT_EQ(textOf(ruled), textOf(freely)) << seed;
    }
}

TEST_F(GuideUnderRules, aResumedAnswerEqualsTheUninterruptedOne) {
    GenerateRequest request = question(3);
    request.jsonSchema = kPerson;
    const RecordingSink whole = answerOf(*m_engine, request);
    ASSERT_TRUE(isPerson(textOf(whole))) << textOf(whole);
    for (size_t cut = 1; cut < whole.ids.size(); ++cut) {
        GenerateRequest rest = request;
        rest.resumeIds.assign(whole.ids.begin(), whole.ids.begin() + static_cast<long>(cut));
        const RecordingSink resumed = answerOf(*m_engine, rest);
        rest.resumeIds.insert(rest.resumeIds.end(), resumed.ids.begin(), resumed.ids.end());
        EXPECT_EQ(rest.resumeIds, whole.ids) << "cut at " << cut;
        EXPECT_TRUE(textOf(whole).ends_with(textOf(resumed)));
    }
}

TEST_F(GuideUnderRules, eachGetsWhatItGetsAlone) {
    std::vector<GenerateRequest> requests;
    for (uint64_t seed = 1; seed <= 9; ++seed) {
        requests.push_back(question(seed));
        requests.back().maxTokens = 60;
        if (seed % 3 == 1) requests.back().jsonSchema = kPerson;
        if (seed % 3 == 2) requests.back().grammar = "root ::= (\"yes\" | \"no\") [ a-z]{3,9}";
    }
    const std::vector<RecordingSink> together = answersOf(*m_engine, requests);
    for (size_t i = 0; i < requests.size(); ++i)
        EXPECT_EQ(together[i].ids, answerOf(*m_engine, requests[i]).ids) << i;
}

TEST_F(GuideUnderRules, aCheckFindsTheSameChoicesAndOffersOnlyWhatMayFollow) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        GenerateRequest request = question(seed);
        if (seed % 2 == 0) {
            request.jsonSchema = kPerson;
        } else {
            request.grammar = "root ::= (\"yes\" | \"no\") [ a-z]{3,9}";
        }
        std::vector<TokenId> ids = answerOf(*m_engine, request).ids;
        ASSERT_GT(ids.size(), 3u);
        const auto score = [&](uint32_t from) {
            test::RecordingScores sink;
            EXPECT_TRUE(m_engine->submit({request, ids, from, 0, 3}, sink));
            while (m_engine->step()) {
            }
            EXPECT_FALSE(sink.error) << sink.error->message;
            return sink.scores.value_or(Scores{});
        };
        const Scores whole = score(0);
        EXPECT_EQ(test::firstDifference(whole), ids.size()) << seed;
        EXPECT_EQ(test::firstDifference(score(2)), ids.size() - 2) << seed;
        // Without its rules the model had written something else: they are what was checked.
        const GenerateRequest ruled = std::exchange(request, question(seed));
        EXPECT_LT(test::firstDifference(score(0)), ids.size()) << seed;
        request = ruled;
        // What else is likely there also follows the rules.
        GenerateRequest other = ruled;
        other.resumeIds = {ids[0], ids[1], whole.positions[2].top.back().id};
        EXPECT_FALSE(answerOf(*m_engine, other).error) << seed;
        ids[2] = whole.positions[2].top.back().id;
        if (ids[2] != whole.positions[2].chosen.id) {
            EXPECT_EQ(test::firstDifference(score(0)), 2u) << seed;
        }
    }
}

/// In the form in which the chat template writes calls, and as a part of its own.
TEST_F(GuideUnderRules, aDemandedCallIsOneInTheModelsOwnForm) {
    GenerateRequest request = question(2);
    request.promptForm.tools =
        R"([{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":)"
        R"({"mode":{"enum":["fast","slow"]}},"required":["mode"]}}}])";
    request.promptForm.chatTemplate =
        "{{ tools | tojson }}{% for m in messages %}<turn>{{ m.role }}\n{{ m.content }}{% for c in "
        "m.tool_calls or "
        "[] %}<tool_call>\n<function={{ c.function.name }}>\n{% for k, v in c.function.arguments.items() "
        "%}<parameter={{ k }}>\n{{ v }}\n</parameter>\n{% endfor %}</function>\n</tool_call>{% endfor "
        "%}</turn>{% endfor %}<turn>assistant\n";
    request.jsonSchema =
        R"({"$comment":"a call of a tool","type":"object","properties":{"name":{"const":"look"},"arguments":)"
        R"({"type":"object","properties":{"mode":{"enum":["fast","slow"]}},"required":["mode"]}},)"
        R"("required":["name","arguments"]})";
    const RecordingSink sink = answerOf(*m_engine, request);
    ASSERT_FALSE(sink.error) << sink.error->message;
    std::vector<PartPiece> pieces = sink.pieces;
    pieces.insert(pieces.end(), sink.result->tail.begin(), sink.result->tail.end());
    std::erase_if(pieces, [](const PartPiece& piece) { return piece.text.empty(); });
    ASSERT_EQ(pieces.size(), 1u) << textOf(sink);
    EXPECT_EQ(pieces[0].kind, PartKind::ToolCall);
    EXPECT_TRUE(pieces[0].text == R"({"name":"look","arguments":{"mode":"fast"}})" ||
                pieces[0].text == R"({"name":"look","arguments":{"mode":"slow"}})")
        << pieces[0].text;
}

TEST_F(GuideUnderRules, whatCannotBeFollowedIsOneSentence) {
    GenerateRequest both = question(1);
    both.grammar = "root ::= .*";
    both.jsonSchema = "{}";
    GenerateRequest broken = question(1);
    broken.grammar = "root ::= \"a";
    GenerateRequest unknown = question(1);
    unknown.jsonSchema = R"({"type":"object","unevaluatedProperties":false})";
    GenerateRequest wide = question(1);
    wide.grammar = "root ::= (((a{0,9999}){0,9999}){0,9999}){0,9999}\na ::= \"a\" | \"a\" a";
    const std::vector<GenerateRequest> requests{both, broken, unknown, wide};
    for (const RecordingSink& sink : answersOf(*m_engine, requests)) {
        ASSERT_TRUE(sink.error) << textOf(sink);
        EXPECT_FALSE(sink.error->message.empty());
        EXPECT_EQ(sink.error->message.find('\n'), std::string::npos) << sink.error->message;
    }
}

TEST_F(GuideUnderRules, aStopStringCutsIt) {
    GenerateRequest request = question(2);
    request.jsonSchema = kPerson;
    request.stops = {"\"age\""};
    const RecordingSink sink = answerOf(*m_engine, request);
    ASSERT_TRUE(sink.result);
    EXPECT_EQ(sink.result->reason, StopReason::EndOfText);
    EXPECT_EQ(textOf(sink).find("\"age\""), std::string::npos);
    EXPECT_NE(textOf(sink).find("\"name\""), std::string::npos) << textOf(sink);
}

/// A model of random weights, whose tokens are bytes and a few letters, and whose end token is as likely as
/// any: an end that comes too early would be seen.
class RandomUnderRules : public testing::Test {
  protected:
    void SetUp() override {
        const std::string path = m_folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = "llama", .quant = "Q8_0"}, path));
        m_engine = Engine::load(path, {.contextTokens = 2048}, nullptr).value();
    }

    test::TemporaryFolder m_folder;
    std::unique_ptr<Engine> m_engine;
};

TEST_F(RandomUnderRules, everyAnswerIsWhole) {
    std::vector<GenerateRequest> requests;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        requests.push_back(question(seed));
        requests.back().jsonSchema = kPerson;
        requests.back().sampler.logitBias = {{2, static_cast<float>(seed % 3) * 4}};
    }
    for (const RecordingSink& sink : answersOf(*m_engine, requests)) {
        ASSERT_TRUE(sink.result);
        EXPECT_EQ(sink.result->reason, StopReason::EndOfText);
        EXPECT_TRUE(isPerson(textOf(sink))) << textOf(sink);
    }
}

TEST_F(RandomUnderRules, whatItsSchemaRefusesAtTheEndIsTold) {
    GenerateRequest request = question(1);
    request.jsonSchema =
        R"({"type":"array","items":{"enum":[1]},"minItems":2,"maxItems":2,"uniqueItems":true})";
    const RecordingSink sink = answerOf(*m_engine, request);
    ASSERT_TRUE(sink.result);
    std::string text = textOf(sink);
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    EXPECT_EQ(text, "[1,1]");
    EXPECT_EQ(sink.result->violation, "uniqueItems does not hold");
    // What a limit cuts is told as it is.
    request.maxTokens = 2;
    EXPECT_EQ(answerOf(*m_engine, request).result->violation, "");
}

/// The rules alone, with a vocabulary of bytes.
class RulesOfBytes : public testing::Test {
  protected:
    void SetUp() override {
        const std::string path = m_folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = "llama", .quant = "Q8_0"}, path));
        m_model = session::openModel(test::opened(path), {.contextTokens = 256}).value();
    }
    /// Of a model that thinks, behind a prompt.
    void begin(const std::string& grammar, const std::string& promptEnd, bool thinks) {
        GenerateRequest request = question(1);
        request.grammar = grammar;
        m_rules =
            session::AnswerRules::create(*m_model, request, {.end = promptEnd, .thinks = thinks}).value();
    }
    /// True when every byte is allowed; the first that is not stays out.
    bool takes(std::string_view text) {
        for (const char byte : text) {
            const TokenId id = kFirstByte + static_cast<unsigned char>(byte);
            const bool allowed = m_rules->allows(*m_model, id);
            EXPECT_EQ(m_rules->take(*m_model, id).has_value(), allowed) << text << " at " << byte;
            if (!allowed) return false;
        }
        return true;
    }
    bool mayEnd() { return m_rules->allows(*m_model, kEnd); }
    /// What the next byte may be, of those that are printed.
    std::string offered() {
        const auto mask = m_rules->allowed(*m_model);
        EXPECT_TRUE(mask) << mask.error().message;
        std::string bytes;
        for (int byte = 0x20; byte < 0x7F; ++byte)
            if ((**mask)[static_cast<size_t>(kFirstByte + byte)]) bytes += static_cast<char>(byte);
        return bytes;
    }

    static constexpr TokenId kStart = 1, kEnd = 2, kFirstByte = 3;
    test::TemporaryFolder m_folder;
    std::unique_ptr<session::OpenedModel> m_model;
    std::optional<session::AnswerRules> m_rules;
};

constexpr const char* kTwoDigits = "root ::= [0-9]{2}";

TEST_F(RulesOfBytes, theEndComesWhenTheAnswerIsWhole) {
    begin("root ::= [0-9]{2,3}", "", false);
    EXPECT_FALSE(mayEnd());
    EXPECT_EQ(offered(), "0123456789");
    EXPECT_TRUE(takes("1"));
    EXPECT_FALSE(mayEnd());
    EXPECT_FALSE(takes("a"));
    EXPECT_TRUE(takes("2"));
    EXPECT_TRUE(mayEnd());
    EXPECT_FALSE(m_rules->mustEnd());
    EXPECT_TRUE(takes("3"));
    EXPECT_TRUE(m_rules->mustEnd());
    EXPECT_FALSE(takes("4"));
}

TEST_F(RulesOfBytes, aTokenThatWritesNothingMayOnlyComeFirst) {
    begin(kTwoDigits, "", false);
    EXPECT_TRUE(m_rules->allows(*m_model, kStart));
    EXPECT_FALSE((**m_rules->allowed(*m_model))[kStart]) << "it is never offered";
    EXPECT_TRUE(m_rules->take(*m_model, kStart));
    EXPECT_TRUE(takes("1"));
    EXPECT_FALSE(m_rules->allows(*m_model, kStart));
    EXPECT_FALSE(m_rules->take(*m_model, kStart));
}

TEST_F(RulesOfBytes, aThoughtIsFree) {
    for (const bool inPrompt : {true, false}) {
        for (const char* blanks : {"", "\n\n", " "}) {
            begin(kTwoDigits, inPrompt ? "<think>\n" : "", !inPrompt);
            if (!inPrompt) {
                EXPECT_TRUE(takes("\n<think>"));
            }
            EXPECT_TRUE(takes("no digits </thin, "));
            EXPECT_FALSE(mayEnd());
            EXPECT_FALSE(m_rules->inAnswer());
            EXPECT_TRUE(takes("</think>"));
            EXPECT_TRUE(m_rules->inAnswer());
            EXPECT_EQ(offered(), "0123456789");
            EXPECT_TRUE(takes(blanks));
            EXPECT_FALSE(takes("a"));
            EXPECT_TRUE(takes("12"));
            EXPECT_TRUE(m_rules->mustEnd());
        }
    }
}

TEST_F(RulesOfBytes, aThoughtThatEndedInThePromptIsOver) {
    begin(kTwoDigits, "<think>\n\n</think>\n\n", true);
    EXPECT_TRUE(m_rules->inAnswer());
    EXPECT_FALSE(takes("<"));
    EXPECT_TRUE(takes("12"));
}

TEST_F(RulesOfBytes, aModelThatThinksMayAnswerAtOnce) {
    begin(kTwoDigits, "", true);
    EXPECT_TRUE(takes("\n12"));
    EXPECT_TRUE(m_rules->mustEnd());
}

TEST_F(RulesOfBytes, whiteSpaceBeforeAnAnswerIsBounded) {
    for (const char* promptEnd : {"", "<think>\n\n</think>\n\n"}) {
        begin(kTwoDigits, promptEnd, true);
        EXPECT_TRUE(takes(std::string(8, ' ') + std::string(8, '\n'))) << promptEnd;
        EXPECT_FALSE(takes(" ")) << promptEnd;
        EXPECT_EQ(offered(), "0123456789");
        EXPECT_TRUE(takes("12"));
        EXPECT_TRUE(m_rules->mustEnd());
    }
}

TEST_F(RulesOfBytes, whatIsOfferedBehindWhiteSpaceIsTaken) {
    const std::string blanks = "[ \\n]{0,16}";
    for (const size_t count : {1, 15, 16}) {
        begin("root ::= " + blanks + " [0-9]{2}", "", true);
        EXPECT_TRUE(takes(std::string(count, ' ')));
        EXPECT_EQ(offered(), count < 16 ? " 0123456789" : "0123456789") << count;
        EXPECT_TRUE(takes("12"));
    }
}

TEST_F(RulesOfBytes, whatOnlyBeginsLikeAThoughtIsAnswer) {
    begin("root ::= \"<thing>\" | [0-9]+", "", true);
    EXPECT_TRUE(takes("<thin"));
    EXPECT_FALSE(mayEnd());
    EXPECT_EQ(offered(), "gk");
    EXPECT_TRUE(takes("g>"));
    EXPECT_TRUE(m_rules->mustEnd());
    begin("root ::= [0-9]+", "", true);
    EXPECT_TRUE(takes("<"));
    EXPECT_FALSE(takes("1")) << "the answer would begin with <";
}

}  // namespace
}  // namespace ingle
