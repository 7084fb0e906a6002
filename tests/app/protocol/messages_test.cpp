#include "app/protocol/messages.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "app/protocol/framing.h"
#include "tests/golden_text.h"

namespace ingle::protocol {
namespace {

using namespace std::string_literals;

constexpr uint64_t kBig = std::numeric_limits<uint64_t>::max() - 2;  // a double would round it

GenerateRequest fullGenerateRequest() {
    GenerateRequest request;
    request.messages = {
        textMessage(Role::System, "be brief"),
        textMessage(Role::User, "null \0 byte, \"quotes\", \\ and\nnewline \u2028"s),
        {Role::Assistant,
         {{PartKind::Thought, "漢字 \U0001F600", {}}, {PartKind::ToolCall, "{}", "clock"}, {}}}};
    request.pinned = {0, 2};
    request.sampler = {.temperature = 0.1f,
                       .topK = 7,
                       .typicalP = 0.5f,
                       .topP = 0.3f,
                       .minP = 0.25f,
                       .repeatPenalty = 1.5f,
                       .frequencyPenalty = -0.5f,
                       .presencePenalty = 0.75f,
                       .lastN = 9,
                       .topNSigma = 1.5f,
                       .xtcProbability = 0.5f,
                       .xtcThreshold = 0.25f,
                       .dryMultiplier = 0.75f,
                       .dryBase = 1.5f,
                       .dryAllowed = 3,
                       .dryLastN = 500,
                       .dryBreakers = {"\n", "."},
                       .logitBias = {{4, -2.5f}},
                       .seed = kBig};
    request.maxTokens = 12;
    request.conversation = "17";
    request.stops = {"\n\n", "User:"};
    request.resumeIds = {0, -1, std::numeric_limits<TokenId>::max()};
    request.resumeText = "It began";
    request.rawPrompt = "once";
    request.rawTokens = {1, 2, 3};
    request.idsAreText = true;
    request.grammar = "root ::= \"\xE6\xBC\xA2\"\n";
    request.jsonSchema = R"({"type":"integer"})";
    request.whenFull = WhenFull::Refuse;
    request.guesses = Guesses::Draft;
    request.chances = 5;
    request.contextTokens = 99;
    request.promptForm = {"{{ messages }}", Thinking::Off, "[{\"type\":\"function\"}]"};
    return request;
}

ModelInfo fullModelInfo() {
    ModelInfo info;
    info.path = "/m/模型.gguf";
    info.name = "tiny";
    info.format = "GGUF v3";
    info.family = "llama";
    info.fileBytes = kBig;
    info.weightBytes = 2;
    info.numParameters = 3;
    info.numLayers = 4;
    info.dim = 5;
    info.vocabSize = 6;
    info.trainedContext = 7;
    info.quantBytes = {{"Q4_K", kBig}, {"F32", 9}};
    info.smallerQuant = "Q4_K_M";
    info.smallerBytes = 8;
    info.tokenizer = "gpt2";
    info.promptFormat = "chatml";
    info.promptNote = "Its template is broken.";
    info.chatTemplate = "{{ bos_token }}";
    info.memory = {.weightBytes = 10,
                   .cacheBytes = 11,
                   .workBytes = 12,
                   .mostBytes = kBig,
                   .availableBytes = 13,
                   .usableBytes = 14,
                   .choices = {{FitRemedy::SmallerModel, 512, KvType::Q8, "Q4_K_M", 12}}};
    info.foretoldTokensPerSecond = 0.1;
    info.contextNote = "Little is free.";
    info.seesPictures = true;
    info.visionFile = "/m/mmproj.gguf";
    info.visionFiles = {"/m/mmproj.gguf", "/m/other.gguf"};
    info.backend = "cpu";
    info.device = "a CPU, 2 threads";
    info.deviceNote = "The GPU cannot be used.";
    info.contextTokens = 11;
    return info;
}

Receipt fullReceipt() {
    return {.program = "0.1",
            .modelPath = "/m/x",
            .modelHash = "00ff",
            .backend = "vulkan",
            .device = "a GPU",
            .instructions = "avx2",
            .kv = KvType::Q8,
            .activations = ActivationType::F32,
            .referenceKernels = true,
            .contextTokens = 512,
            .overrides = {{"a", "b"}}};
}

std::vector<Request> allRequests() {
    LoadOptions options;
    options.backend = BackendChoice::Vulkan;
    options.device = "Radeon";
    options.threads = 3;
    options.contextTokens = 128;
    options.kv = KvType::Q8;
    options.kvMemory = KvMemory::Main;
    options.activations = ActivationType::F32;
    options.fuse = false;
    options.referenceKernels = true;
    options.loadAnyway = true;
    options.crashedProcess = 4711;
    options.overrides = {{"group_norm_epsilon", "1e-5"}};
    options.draft = "/m/small.gguf";
    options.visionFile = "/m/mmproj.gguf";
    return {{1, Hello{7}},
            {2, Inspect{"/m/a b.gguf", options}},
            {3, Load{"/m/x", options}},
            {4, Unload{}},
            {5, Count{"how many", fullGenerateRequest().messages, true, true}},
            {6, Preview{fullGenerateRequest()}},
            {kBig, Generate{fullGenerateRequest()}},
            {7, Cancel{kBig - 1}},
            {8, Retain{{"1", "x-2"}, {"3"}}},
            {9, Protect{}},
            {9, Devices{}},
            {10, Computer{}},
            {11, Recognise{{"/m/a b.gguf", "/m/folder"}, options}},
            {12, Import{"/m/x", "/m", "Qwen3 8B", "Q4_K_M"}},
            {13, Score{{fullGenerateRequest(), {5, 6}, 1, 2, 3, 4}}},
            {14, Read{{fullGenerateRequest().messages, "3", fullGenerateRequest().promptForm}}},
            {14, Picture{std::string(64, 'a'), "\x89PNG\0"s}},
            {15, Embed{"/m/bge.gguf", {"a", "\n漢"}, true}}};
}

std::vector<Event> allEvents() {
    const PromptPlan plan{{0, 2, 3}, {1}, 40, 64, kBig, "Tools are told as text."};
    const GenerateResult result{
        StopReason::ContextFull, {1, 2, 3, 4.5, 1.0 / 3, 5, 6},  {{PartKind::ToolCall, "\n漢", "tool", true}},
        "\xE6\xBC\0"s,           {{PartKind::Text, "half", {}}}, "$.n: 3 is no multiple of 2"};
    Failed refused{{ErrorCode::OutOfMemory, "too big: 9 GB"}};
    refused.memory = fullModelInfo().memory;
    return {{1, HelloOk{7, "ingle 0.1"}},
            {2, Inspected{fullModelInfo()}},
            {3, Loaded{fullModelInfo(), "/m/before.gguf"}},
            {0, Released{}},
            {4, Unloaded{}},
            {5, Counted{9, 11, {1, 0, 5}}},
            {5, Previewed{{plan, 48, {{1, 2}, {}, {3}}, "<s>\0Hi"s}}},
            {5, Retained{}},
            {6, Protected{}},
            {5, DevicesListed{{{{"a CPU", "processor", 1, "avx2", DeviceUse::OnRequest, ""},
                                {"a GPU", "discrete", kBig, "driver 1", DeviceUse::Automatic, ""},
                                {"an old GPU", "integrated", 0, "", DeviceUse::Never, "it is too old"}},
                               "there are others"}}},
            {5, ComputerDescribed{{"a CPU", 4, kBig, kBig - 1, 2, 3}}},
            {6, Progress{0.25, "reading the prompt", {"a CPU", "The GPU failed."}}},
            {7, Planned{plan}},
            {7, Recognised{{{.kind = "published",
                             .path = "/m/folder",
                             .sentence = "tiny, as published",
                             .actions = {ModelAction::Open, ModelAction::MakeSmaller, ModelAction::Import},
                             .info = fullModelInfo(),
                             .refusal = {}},
                            {.kind = "webPage",
                             .path = "/m/page",
                             .sentence = "a page",
                             .actions = {ModelAction::GetInstead},
                             .info = {},
                             .refusal = Error{ErrorCode::Unsupported, "a page", "webPage", {"/m/page"}}}}}},
            {7, Imported{"/m/x-Q4_K_M.gguf", kBig}},
            {8, Scored{{.promptHash = kBig,
                        .from = 2,
                        .before = {{PartKind::Text, "a", {}}},
                        .withheld = "\xE6",
                        .positions = {{{5, "a", 0.5}, {6, "", 0.25, true}, 1.5F, {{7, "b", 0.125}}}}},
                       fullReceipt()}},
            {8, PictureTaken{{std::string(64, 'b'), 2, 3, 4, {{1, 2, 3, 4, 5, 6, 7}}}}},
            {8, ReadPlanned{{32'000, 640, kBig}}},
            {8, ReadDone{{32'000, 32'000, kBig}}},
            {8, Embedded{1, 7, "\0\0\x80\x3F\0\0\x80\xBF"s}},
            {8, Tokens{{{5, 0, 3},
                        {{PartKind::Text, "a\0b"s, {}}, {PartKind::Source, "c", "d", true}},
                        {{{5, "a", 0.5}, {{5, "a", 0.5}, {6, "", 0.25, true}}}, {{0, "b", 0.125}, {}}}}}},
            {9, Done{result, fullReceipt()}},
            {kBig, refused}};
}

// Encoded text is the comparison: it lists every field, so equal text means equal messages.
TEST(Messages, EveryRequestSurvivesARoundTrip) {
    for (const Request& request : allRequests()) {
        const std::string line = encode(request);
        EXPECT_EQ(line.find('\n'), std::string::npos);
        const auto decoded = decodeRequest(line);
        ASSERT_TRUE(decoded) << decoded.error().message << "\n" << line;
        EXPECT_EQ(decoded->id, request.id);
        EXPECT_EQ(decoded->body.index(), request.body.index());
        EXPECT_EQ(encode(*decoded), line);
    }
}

TEST(Messages, EveryEventSurvivesARoundTrip) {
    for (const Event& event : allEvents()) {
        const std::string line = encode(event);
        EXPECT_EQ(line.find('\n'), std::string::npos);
        const auto decoded = decodeEvent(line);
        ASSERT_TRUE(decoded) << decoded.error().message << "\n" << line;
        EXPECT_EQ(decoded->id, event.id);
        EXPECT_EQ(decoded->body.index(), event.body.index());
        EXPECT_EQ(encode(*decoded), line);
    }
}

/// Written once: messages with every field, and with those only that they must have. A new message or field
/// need not stand there.
std::vector<std::string> goldenLines() {
    std::string lines;
    for (const Request& request : allRequests()) lines += encode(request) + "\n";
    for (const RequestBody& bare : {RequestBody(Inspect{}), RequestBody(Count{}), RequestBody(Generate{}),
                                    RequestBody(Score{}), RequestBody(Read{}), RequestBody(Embed{})})
        lines += encode(Request{1, bare}) + "\n";
    for (const Event& event : allEvents()) lines += encode(event) + "\n";
    for (const EventBody& bare : {EventBody(Recognised{{{}}}), EventBody(Loaded{}), EventBody(Counted{}),
                                  EventBody(Previewed{}), EventBody(Tokens{}), EventBody(Done{}),
                                  EventBody(Scored{}), EventBody(Failed{{ErrorCode::Io, ""}})})
        lines += encode(Event{1, bare}) + "\n";
    std::istringstream golden(test::goldenText("protocol.jsonl", lines));
    std::vector<std::string> read;
    for (std::string line; std::getline(golden, line);) read.push_back(line);
    return read;
}

Result<std::string> rewritten(const std::string& line) {
    if (line.find("\"event\":") != std::string::npos) {
        INGLE_TRY_ASSIGN(const Event event, decodeEvent(line));
        return encode(event);
    }
    INGLE_TRY_ASSIGN(const Request request, decodeRequest(line));
    return encode(request);
}

TEST(Messages, StayAsTheyAreByteByByte) {
    const auto lines = goldenLines();
    EXPECT_GE(lines.size(), 50U);
    for (const std::string& line : lines) {
        const auto again = rewritten(line);
        ASSERT_TRUE(again) << again.error().message << "\n" << line;
        EXPECT_EQ(*again, line);
    }
    // What is written of these messages, whose fields all have a value of their own.
    const std::set<std::string> golden(lines.begin(), lines.end());
    size_t numWritten = 0;
    for (const Request& request : allRequests()) numWritten += golden.count(encode(request));
    for (const Event& event : allEvents()) numWritten += golden.count(encode(event));
    EXPECT_GE(numWritten, 35U);
}

TEST(Messages, EveryMistakeIsToldInTheSameWords) {
    test::MemberReport report;
    for (const std::string& line : goldenLines()) report.ask(nlohmann::json::parse(line), rewritten);
    EXPECT_EQ(report.text(), test::goldenText("protocol_mistakes.txt", report.text()));
}

TEST(Messages, EveryFieldOfAGenerateRequestArrives) {
    const GenerateRequest sent = fullGenerateRequest();
    const auto decoded = decodeRequest(encode(Request{1, Generate{sent}}));
    ASSERT_TRUE(decoded);
    const GenerateRequest& got = std::get<Generate>(decoded->body).request;
    EXPECT_EQ(got.messages, sent.messages);
    EXPECT_EQ(got.pinned, sent.pinned);
    EXPECT_EQ(got.sampler, sent.sampler);
    EXPECT_EQ(got.maxTokens, sent.maxTokens);
    EXPECT_EQ(got.conversation, sent.conversation);
    EXPECT_EQ(got.stops, sent.stops);
    EXPECT_EQ(got.resumeIds, sent.resumeIds);
    EXPECT_EQ(got.resumeText, sent.resumeText);
    EXPECT_EQ(got.rawPrompt, sent.rawPrompt);
    EXPECT_EQ(got.rawTokens, sent.rawTokens);
}

TEST(Messages, EveryFieldOfAPieceArrives) {
    const std::vector<PartPiece> sent{{PartKind::ToolCall, "a", "tool", true}, {PartKind::Thought, "b", {}}};
    const std::string line = encode(Event{1, Tokens{{{1}, sent}}});
    const auto decoded = decodeEvent(line);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(std::get<Tokens>(decoded->body).chunk.pieces, sent);
    EXPECT_NE(line.find(R"({"kind":"thought","text":"b"})"), std::string::npos)
        << "what says nothing is left out";
}

TEST(Messages, EveryFieldOfLoadOptionsArrives) {
    const Request sent = allRequests()[2];
    const auto decoded = decodeRequest(encode(sent));
    ASSERT_TRUE(decoded);
    const LoadOptions& got = std::get<Load>(decoded->body).options;
    const LoadOptions& want = std::get<Load>(sent.body).options;
    EXPECT_EQ(got.backend, want.backend);
    EXPECT_EQ(got.device, want.device);
    EXPECT_EQ(got.threads, want.threads);
    EXPECT_EQ(got.contextTokens, want.contextTokens);
    EXPECT_EQ(got.kv, want.kv);
    EXPECT_EQ(got.kvMemory, want.kvMemory);
    EXPECT_EQ(got.activations, want.activations);
    EXPECT_EQ(got.fuse, want.fuse);
    EXPECT_EQ(got.referenceKernels, want.referenceKernels);
    EXPECT_EQ(got.crashedProcess, want.crashedProcess);
    EXPECT_EQ(got.overrides, want.overrides);
    EXPECT_EQ(got.draft, want.draft);
    EXPECT_EQ(got.visionFile, want.visionFile);
}

TEST(Messages, TheDeviceOfAnAnswerMayChangeAndNeedNotBeTold) {
    const DeviceStatus sent{"a CPU", "The GPU failed."};
    const auto decoded = decodeEvent(encode(Event{1, Progress{0.5, "reading the prompt", sent}}));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(std::get<Progress>(decoded->body).moved, sent);
    const auto plain = decodeEvent(R"({"id":1,"event":"progress","fraction":0.5,"phase":"loading"})");
    ASSERT_TRUE(plain);
    EXPECT_EQ(std::get<Progress>(plain->body).moved, DeviceStatus{});
    const auto loaded = decodeEvent(encode(Event{1, Loaded{fullModelInfo()}}));
    ASSERT_TRUE(loaded);
    EXPECT_EQ(std::get<Loaded>(loaded->body).info.deviceNote, "The GPU cannot be used.");
}

TEST(Messages, SixtyFourBitNumbersAreExact) {
    EXPECT_NE(encode(Event{1, Planned{PromptPlan{{}, {}, 0, 0, kBig}}}).find(std::to_string(kBig)),
              std::string::npos);
    const auto decoded = decodeEvent(encode(Event{1, Planned{PromptPlan{{}, {}, 0, 0, kBig}}}));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(std::get<Planned>(decoded->body).plan.promptHash, kBig);
}

TEST(Messages, WithheldBytesNeedNotBeText) {
    const std::string bytes = "\xFF\x00\xE6\xBC"s;
    const auto decoded = decodeEvent(encode(Event{1, Done{{StopReason::Cancelled, {}, {}, bytes, {}, {}}}}));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(std::get<Done>(decoded->body).result.withheld, bytes);
    EXPECT_FALSE(decodeEvent(R"({"id":1,"event":"done","result":{"reason":"cancelled","withheld":"0g"}})"));
    EXPECT_FALSE(decodeEvent(R"({"id":1,"event":"done","result":{"reason":"cancelled","withheld":"abc"}})"));
}

TEST(Messages, InvalidUtf8BecomesTheReplacementCharacterAndNulSurvives) {
    const auto decoded = decodeEvent(encode(Event{1, Tokens{{{1}, {{PartKind::Text, "a\xFF\0z"s, {}}}}}}));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(std::get<Tokens>(decoded->body).chunk.pieces.at(0).text, "a\uFFFD\0z"s);
}

TEST(Messages, UnknownFieldsAreIgnoredAndAbsentOptionsTakeDefaults) {
    const auto decoded =
        decodeRequest(R"({"later":[1],"id":5,"op":"load","path":"/x","options":{"kv":"f32","new":{}}})");
    ASSERT_TRUE(decoded) << decoded.error().message;
    const Load& load = std::get<Load>(decoded->body);
    EXPECT_EQ(load.path, "/x");
    EXPECT_EQ(load.options.kv, KvType::F32);
    EXPECT_TRUE(load.options.fuse);
    ASSERT_TRUE(decodeRequest(R"({"id":5,"op":"load","path":"/x"})"));
}

TEST(Messages, MistakesAreNamedInOneSentence) {
    const auto messageOf = [](std::string_view line) {
        const auto decoded = decodeRequest(line);
        EXPECT_FALSE(decoded) << line;
        if (decoded) return std::string();
        EXPECT_EQ(decoded.error().code, ErrorCode::Corrupt);
        return decoded.error().message;
    };
    EXPECT_NE(messageOf("").find("not JSON"), std::string::npos);
    EXPECT_NE(messageOf("[]").find("not an object"), std::string::npos);
    EXPECT_NE(messageOf(R"({"op":"unload"})").find("\"id\""), std::string::npos);
    EXPECT_NE(messageOf(R"({"id":-1,"op":"unload"})").find("\"id\""), std::string::npos);
    EXPECT_NE(messageOf(R"({"id":1.5,"op":"unload"})").find("\"id\""), std::string::npos);
    EXPECT_NE(messageOf(R"({"id":1,"op":"dance"})").find("dance"), std::string::npos);
    EXPECT_NE(messageOf(R"({"id":1,"op":"load"})").find("\"path\""), std::string::npos);
    EXPECT_NE(messageOf(R"({"id":1,"op":"load","path":7})").find("\"path\""), std::string::npos);
    EXPECT_NE(messageOf(R"({"id":1,"op":"load","path":"x","options":{"kv":"f8"}})").find("\"kv\""),
              std::string::npos);
    EXPECT_NE(messageOf(R"({"id":1,"op":"generate","request":{"resumeIds":[2147483648]}})").find("resumeIds"),
              std::string::npos);
    EXPECT_NE(messageOf(R"({"id":1,"op":"generate","request":{"sampler":{"topP":1e99}}})").find("topP"),
              std::string::npos);
}

TEST(Messages, WhatIsRefusedTellsWhoseItIs) {
    EXPECT_EQ(idOfRefused(R"({"id":5,"op":"generate","request":[]})"), 5u);
    for (const char* line :
         {"", "[5]", R"({"op":"dance"})", R"({"id":"5"})", R"({"id":-5})", R"({"id":5.5})"})
        EXPECT_EQ(idOfRefused(line), 0u) << line;
}

TEST(Messages, DeepNestingIsRefusedWithoutOverflow) {
    EXPECT_FALSE(decodeRequest(std::string(kMaxLineBytes, '[')));
    EXPECT_FALSE(decodeRequest(std::string(400000, '[') + std::string(400000, ']')));
}

TEST(Messages, EveryExampleInTheDocumentationIsValidAndEveryMessageHasOne) {
    std::ifstream page(INGLE_SOURCE_DIR "/docs/protocol.md");
    ASSERT_TRUE(page);
    std::set<size_t> requests;
    std::set<size_t> events;
    for (std::string line; std::getline(page, line);) {
        if (!line.starts_with("{")) continue;
        const auto request = decodeRequest(line);
        const auto event = decodeEvent(line);
        EXPECT_TRUE(request || event) << line << "\n" << request.error().message << event.error().message;
        if (request) requests.insert(request->body.index());
        if (event) events.insert(event->body.index());
    }
    EXPECT_EQ(requests.size(), std::variant_size_v<RequestBody>);
    EXPECT_EQ(events.size(), std::variant_size_v<EventBody>);
}

TEST(Messages, DamagedLinesGiveAResult) {
    const char* wanted = std::getenv("INGLE_MUTATIONS");
    const int count = wanted ? std::atoi(wanted) : 1000;
    std::vector<std::string> lines;
    for (const Request& request : allRequests()) lines.push_back(encode(request));
    for (const Event& event : allEvents()) lines.push_back(encode(event));
    std::mt19937_64 random(1);
    int accepted = 0;
    for (int i = 0; i < count; ++i) {
        std::string line = lines[random() % lines.size()];
        for (uint64_t edits = 1 + random() % 4; edits > 0 && !line.empty(); --edits) {
            const size_t at = random() % line.size();
            switch (random() % 4) {
                case 0:
                    line[at] = static_cast<char>(random());
                    break;
                case 1:
                    line.erase(at, 1 + random() % 8);
                    break;
                case 2:
                    line.insert(at, 1, "{}[]\",:0-9eE\\u"[random() % 14]);
                    break;
                default:
                    line.resize(at);
            }
        }
        if (const auto request = decodeRequest(line)) {
            ++accepted;
            EXPECT_TRUE(decodeRequest(encode(*request)));
        }
        if (const auto event = decodeEvent(line)) {
            ++accepted;
            EXPECT_TRUE(decodeEvent(encode(*event)));
        }
    }
    EXPECT_LT(accepted, count);
}

}  // namespace
}  // namespace ingle::protocol
