// Values that columns hold as JSON: written byte by byte, and read whatever stands there.
#include "app/history/chats/stored_json.h"

#include <gtest/gtest.h>

#include "app/codec/codec.h"
#include "tests/golden_text.h"

namespace ingle::history {
namespace {

using nlohmann::json;

// As the columns have them.
std::string samplerJson(const SamplerParams& sampler) {
    return codec::textOf(SamplerJson::write(sampler));
}
SamplerParams samplerFromJson(const std::string& text) {
    return SamplerJson::read(json::parse(text, nullptr, false)).value_or(SamplerParams{});
}
std::string receiptJson(const AnswerReceipt& receipt) {
    const json object = ReceiptJson::write(receipt);
    return object.empty() ? "" : codec::textOf(object);
}
AnswerReceipt receiptFromJson(const std::string& text) {
    return ReceiptJson::read(json::parse(text, nullptr, false)).value_or(AnswerReceipt{});
}

SamplerParams everyParameter() {
    return {.temperature = 0.1f,
            .topK = 7,
            .typicalP = 0.5f,
            .topP = 0.3f,
            .minP = 0.25f,
            .repeatPenalty = 1.5f,
            .frequencyPenalty = -0.5f,
            .presencePenalty = 0.75f,
            .lastN = 9,
            .logitBias = {{4, -2.5f}, {-1, 0.1f}},
            .seed = 5};
}

AnswerReceipt fullReceipt() {
    return {.engine = {.program = "0.1",
                       .modelPath = "/m/\xFF漢",
                       .modelHash = "00ff",
                       .backend = "vulkan",
                       .device = "a \"GPU\"",
                       .instructions = "avx2",
                       .kv = KvType::Q8,
                       .activations = ActivationType::F32,
                       .referenceKernels = true,
                       .contextTokens = 512,
                       .overrides = {{"a", "b"}, {"c", "d"}}},
            .terms = AnswerTerms{.systemPrompt = "Be brief.\n",
                                 .maxTokens = 7,
                                 .contextTokens = 900,
                                 .whenFull = WhenFull::Refuse,
                                 .form = {AnswerForm::Kind::JsonSchema, "{}"},
                                 .promptForm = {.chatTemplate = "{{ messages }}", .thinking = Thinking::On}}};
}

Profile fullProfile() {
    return {.systemPrompt = "Be \"brief\".\xFF\n",
            .temperature = 0.1,
            .topK = 7,
            .topP = 0.5,
            .minP = 0,
            .repeatPenalty = 1.5,
            .maxTokens = 99,
            .contextTokens = 2048,
            .whenFull = WhenFull::Refuse,
            .thinking = Thinking::Off,
            .form = AnswerForm{AnswerForm::Kind::Grammar, "root ::= \"a\""},
            .chatTemplate = "{{ messages }}"};
}

std::vector<AnswerReceipt> receipts() {
    AnswerReceipt engineOnly = fullReceipt(), termsOnly = fullReceipt(), plain = fullReceipt();
    engineOnly.terms.reset();
    termsOnly.engine = {};
    plain.terms = AnswerTerms{};
    plain.engine = {.program = "0.1"};
    return {fullReceipt(), engineOnly, termsOnly, plain, {}};
}

TEST(StoredJson, IsWrittenByteByByte) {
    std::string lines;
    for (const SamplerParams& each : {SamplerParams{}, everyParameter()}) lines += samplerJson(each) + "\n";
    for (const AnswerReceipt& each : receipts()) lines += receiptJson(each) + "\n";
    for (const Profile& each : {Profile{}, fullProfile()}) lines += profileJson(each) + "\n";
    lines += textsJson({}) + "\n" + textsJson({"a\"", std::string("\0", 1), "\xFF", ""}) + "\n";
    EXPECT_EQ(lines, test::goldenText("stored.jsonl", lines));
}

TEST(StoredJson, ComesBackFromItsText) {
    SamplerParams sampler = everyParameter();
    sampler.seed = 0;  // which has a column of its own
    EXPECT_EQ(samplerFromJson(samplerJson(sampler)), sampler);
    for (AnswerReceipt each : receipts()) {
        const std::string text = receiptJson(each);
        if (!each.engine.modelPath.empty()) each.engine.modelPath = "/m/\uFFFD漢";
        EXPECT_EQ(receiptFromJson(text), each) << text;
    }
}

TEST(StoredJson, WhatIsOfAnotherKindIsReadAsBefore) {
    test::MemberReport report;
    const auto ask = [&report](const std::string& text, auto rewrite) {
        report.ask(nlohmann::json::parse(text),
                   [&](const std::string& changed) -> Result<std::string> { return rewrite(changed); });
    };
    const auto sampler = [](const std::string& text) { return samplerJson(samplerFromJson(text)); };
    const auto receipt = [](const std::string& text) { return receiptJson(receiptFromJson(text)); };
    const auto profile = [](const std::string& text) { return profileJson(profileFromJson(text)); };
    ask(samplerJson(everyParameter()), sampler);
    ask(receiptJson(fullReceipt()), receipt);
    ask(profileJson(fullProfile()), profile);
    for (const char* text :
         {"", "[1]", "{", "null", R"({"logitBias":[[1],[2,"x"],[3,1e99],[4,5]]})",
          R"({"maxTokens":7,"form":"json_schema","program":"0.1"})", R"({"systemPrompt":1,"form":"grammar"})",
          R"({"overrides":{"a":1,"b":"c"},"program":"0.1"})"}) {
        report.add(fmt::format("{}: {} {} {} {}", text, sampler(text), receipt(text), profile(text),
                               textsJson(textsFromJson(text))));
    }
    EXPECT_EQ(report.text(), test::goldenText("stored_mistakes.txt", report.text()));
}

}  // namespace
}  // namespace ingle::history
