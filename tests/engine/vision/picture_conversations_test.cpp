/// Pictures in conversations: the ordinary way from messages to tokens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "engine/session/conversations/scheduler.h"
#include "engine/session/pictures/picture_shelf.h"
#include "ingle/error_ids.h"
#include "ingle/stop_scope.h"
#include "tests/engine/session/half_device.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/engine/session/vulkan_devices.h"
#include "tests/engine/vision/golden_pictures.h"
#include "tests/temporary_folder.h"

namespace ingle {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using session::KnownPicture;
using test::RecordingSink;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// A message whose text is the prompt of a sidecar, with parts for its pictures, in the form of no chat.
GenerateRequest requestOf(const std::string& prompt) {
    GenerateRequest request;
    ChatMessage message{Role::User, {}};
    size_t number = 0;
    for (size_t at = 0; at <= prompt.size();) {
        const size_t mark = std::min(prompt.find(kPictureMark, at), prompt.size());
        if (mark > at) message.parts.push_back({PartKind::Text, prompt.substr(at, mark - at), {}});
        if (mark == prompt.size()) break;
        message.parts.push_back({PartKind::Image, "a picture", std::to_string(number++)});
        at = mark + kPictureMark.size();
    }
    request.messages = {std::move(message)};
    request.sampler.temperature = 0;
    request.promptForm.chatTemplate = "{{ messages[0].content }}";
    return request;
}

/// Pictures that are encoded already, by their numbers.
class GivenPictures : public session::KnownPictures {
  public:
    explicit GivenPictures(std::vector<EncodedPicture> pictures) : m_pictures(std::move(pictures)) {}

    Result<std::shared_ptr<const KnownPicture>> find(const std::string& hash) override {
        return std::make_shared<const KnownPicture>(
            KnownPicture{hash, m_pictures.at(std::stoul(hash)), std::stoul(hash)});
    }
    Status encode(const KnownPicture&, const std::string&, const std::function<void(double)>&) override {
        return {};
    }
    Result<std::shared_ptr<const std::vector<float>>> rows(const KnownPicture& picture) override {
        return std::make_shared<const std::vector<float>>(m_pictures.at(picture.identity).rows);
    }

  private:
    const std::vector<EncodedPicture> m_pictures;
};

std::unique_ptr<session::Model> loadModel(const fs::path& path, const LoadOptions& options,
                                          session::DeviceFactory device = session::createDevice) {
    const auto source = io::Source::open(path);
    auto model = session::Model::load(*source, options, nullptr, std::move(device));
    if (!model) ADD_FAILURE() << model.error().message;
    return model ? *std::move(model) : nullptr;
}

class GoldenConversations : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (!fs::exists(test::visionFolder())) GTEST_SKIP() << "no golden vectors";
    }
    void expectTheOthers(const session::DeviceFactory& device, std::string_view backend);
};

/// The other engine's tokens, while an answer without pictures is written beside.
TEST_P(GoldenConversations, answersAreTheOthers) {
    expectTheOthers(session::createDevice, "cpu");
}

/// Rows of pictures go to the first layers alone; what they see of each other goes to all.
TEST_P(GoldenConversations, answersOfTwoPartsAreTheOthers) {
    const std::string_view type = GetParam();
    if (type == "qwen3vl" || type == "minicpmv") GTEST_SKIP() << "there is no place for a cut";
    expectTheOthers(test::halfDevices(), "split");
}

/// The same with a real device for the last layers: rows that see each other, and coordinates, there as well.
TEST_P(GoldenConversations, answersOfAProcessorAndADeviceAreTheOthers) {
    const std::string_view type = GetParam();
    if (type != "gemma3" && type != "qwen2.5vl") GTEST_SKIP() << "two types stand for the others";
    test::VulkanDevices devices;
    if (!devices.missing().empty()) GTEST_SKIP() << devices.missing();
    expectTheOthers(test::halfOf(devices.factory()), "split");
}

void GoldenConversations::expectTheOthers(const session::DeviceFactory& device, std::string_view backend) {
    const auto entries = test::sidecarsOf(GetParam());
    for (const auto& [entry, sidecar] : entries) {
        if (!sidecar.contains("greedy")) continue;
        SCOPED_TRACE(entry);
        LoadOptions options = test::exactOptions(GetParam());
        options.visionFile = test::visionFolder() / sidecar["mmproj"].get<std::string>();
        options.backend = BackendChoice::Auto;
        const auto model =
            loadModel(test::visionFolder() / sidecar["text_model"].get<std::string>(), options, device);
        ASSERT_TRUE(model);
        EXPECT_EQ(model->info().backend, backend) << model->info().deviceNote;
        model->showPictures(
            std::make_shared<GivenPictures>(test::encodedPictures(entries, sidecar, GetParam())));
        session::Scheduler scheduler(*model, nullptr);
        RecordingSink sink, beside;
        GenerateRequest request = requestOf(sidecar["prompt"]);
        request.maxTokens = static_cast<uint32_t>(sidecar["greedy"].size());
        scheduler.submit({.maxTokens = 12, .rawTokens = {5, 6, 7}}, beside);
        scheduler.submit(request, sink);
        while (scheduler.step()) {
        }
        ASSERT_TRUE(sink.result) << (sink.error ? sink.error->message : "");
        EXPECT_TRUE(beside.result);
        uint32_t rows = 0;
        for (const json& chunk : sidecar["chunks"])
            rows += chunk["type"] == "image" ? chunk["n_tokens"].get<uint32_t>()
                                             : static_cast<uint32_t>(chunk["tokens"].size());
        EXPECT_EQ(sink.plan.promptTokens, rows);
        constexpr double kLeastMargin = 1e-3;
        for (size_t i = 0; i < sink.ids.size() && sidecar["greedy_margin"][i] > kLeastMargin; ++i)
            ASSERT_EQ(sink.ids[i], sidecar["greedy"][i]) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Types, GoldenConversations, testing::ValuesIn(test::kVisionTypes),
                         [](const auto& tried) { return test::nameOfType(tried.param); });

/// A model and its vision file in a folder of their own.
class PictureConversations : public testing::Test {
  protected:
    void SetUp() override {
        if (!fs::exists(test::visionFolder())) GTEST_SKIP() << "no golden vectors";
        use("qwen3vl");
        m_picture = test::readPng(test::visionFolder() / "shapes.png");
    }
    void use(const std::string& type, const std::string& text = "") {
        m_model = put("text-" + (text.empty() ? type : text) + ".gguf");
        put(type + ".mmproj.gguf");
    }
    std::string put(const std::string& name) const {
        fs::copy_file(test::visionFolder() / name, m_folder.file(name), fs::copy_options::skip_existing);
        return m_folder.file(name);
    }
    static LoadOptions options() { return {.backend = BackendChoice::Cpu, .contextTokens = 2048}; }

    GenerateRequest chat(const std::string& question) const {
        GenerateRequest request;
        request.messages = {{Role::User, {{PartKind::Text, question, {}}, {PartKind::Image, "", kHash}}}};
        request.sampler.temperature = 0;
        request.maxTokens = 4;
        request.conversation = "7";
        return request;
    }
    /// A process of its own, which knows `m_model` and what is kept on disk.
    struct Process {
        std::unique_ptr<session::Model> model;
        Snapshots snapshots;
        std::shared_ptr<session::PictureShelf> shelf;
        std::unique_ptr<session::Scheduler> scheduler;
    };
    Process start() const {
        Process process{.model = loadModel(m_model, options()),
                        .snapshots = Snapshots::open({m_folder.file("snapshots")}).value(),
                        .shelf = nullptr,
                        .scheduler = nullptr};
        process.shelf = std::make_shared<session::PictureShelf>(*process.model, process.snapshots.store());
        process.model->showPictures(process.shelf);
        process.scheduler = std::make_unique<session::Scheduler>(*process.model, process.snapshots.store());
        while (!process.scheduler->modelHash()) std::this_thread::yield();
        return process;
    }
    static RecordingSink run(Process& process, const GenerateRequest& request) {
        RecordingSink sink;
        process.scheduler->submit(request, sink);
        while (process.scheduler->step()) {
        }
        return sink;
    }

    static inline const std::string kHash = std::string(63, '0') + "1";
    const test::TemporaryFolder m_folder;
    std::string m_model;
    Picture m_picture;
};

TEST_F(PictureConversations, aSecondQuestionReadsItsOwnTokensOnly) {
    Process process = start();
    const RecordingSink needed = run(process, chat("What is this?"));
    ASSERT_TRUE(needed.error);
    EXPECT_EQ(needed.error->id, "pictureNeeded");
    EXPECT_THAT(needed.error->arguments, ElementsAre(kHash));
    const auto taken = process.shelf->take(kHash, m_picture);
    ASSERT_TRUE(taken) << taken.error().message;
    const PictureFacts facts = session::factsOf(**taken);
    EXPECT_EQ(facts.tokens, 20u);
    EXPECT_THAT(facts.tiles, ElementsAre(SeenTile{0, 0, 150, 118, 160, 128, 20}));
    const RecordingSink first = run(process, chat("What is this?"));
    ASSERT_TRUE(first.result) << first.error->message;
    EXPECT_EQ(first.result->stats.cachedTokens, 0u);
    // Another branch begins alike, up to the text in front of the picture and, with the same text, behind it.
    GenerateRequest more = chat("What is this?");
    more.messages.push_back(textMessage(Role::Assistant, "A thing."));
    more.messages.push_back(textMessage(Role::User, "Which one?"));
    const RecordingSink second = run(process, more);
    ASSERT_TRUE(second.result) << second.error->message;
    EXPECT_GT(second.result->stats.cachedTokens, 25u);
    EXPECT_EQ(process.shelf->numEncoded(), 1u);
}

TEST_F(PictureConversations, anotherPictureIsNotTakenForIt) {
    Process process = start();
    ASSERT_TRUE(process.shelf->take(kHash, m_picture));
    const RecordingSink one = run(process, chat("What is this?"));
    GenerateRequest request = chat("What is this?");
    const std::string other = std::string(63, '0') + "2";
    request.messages[0].parts[1].data = other;
    ASSERT_TRUE(process.shelf->take(other, test::readPng(test::visionFolder() / "shapes2.png")));
    const RecordingSink two = run(process, request);
    ASSERT_TRUE(one.result && two.result);
    EXPECT_LT(two.result->stats.cachedTokens, 30u);
    EXPECT_EQ(process.shelf->numEncoded(), 2u);
}

TEST_F(PictureConversations, afterARestartNothingIsEncoded) {
    std::vector<TokenId> ids;
    {
        Process process = start();
        ASSERT_TRUE(process.shelf->take(kHash, m_picture));
        ids = run(process, chat("What is this?")).ids;
        process.snapshots.waitUntilWritten();
    }
    Process process = start();
    const auto found = process.shelf->find(kHash);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(session::factsOf(**found).tiles.size(), 1u);
    const RecordingSink again = run(process, chat("What is this?"));
    ASSERT_TRUE(again.result) << again.error->message;
    EXPECT_EQ(again.ids, ids);
    // In front of the picture the text is another one, so its rows are read again, but not encoded.
    const RecordingSink other = run(process, chat("And what of that?"));
    ASSERT_TRUE(other.result) << other.error->message;
    EXPECT_EQ(process.shelf->numEncoded(), 0u);
    process.snapshots.retain({});
    process.snapshots.waitUntilWritten();
    for (const auto& entry : fs::directory_iterator(m_folder.file("snapshots")))
        EXPECT_NE(entry.path().extension(), ".snap") << "of a conversation that is gone";
}

TEST_F(PictureConversations, aPrivateChatLeavesNothingOnTheDisk) {
    Process process = start();
    ASSERT_TRUE(process.shelf->take(kHash, m_picture));
    GenerateRequest request = chat("What is this?");
    request.conversation.clear();
    ASSERT_TRUE(run(process, request).result);
    process.snapshots.waitUntilWritten();
    for (const auto& entry : fs::directory_iterator(m_folder.file("snapshots")))
        EXPECT_NE(entry.path().extension(), ".snap");
}

TEST_F(PictureConversations, aPictureThatDoesNotFitTheContextIsTold) {
    Process process = start();
    ASSERT_TRUE(process.shelf->take(kHash, m_picture));
    GenerateRequest request = chat("What?");
    request.contextTokens = 24;
    const RecordingSink sink = run(process, request);
    ASSERT_TRUE(sink.error);
    EXPECT_EQ(sink.error->id, "messageTooLong");
}

/// Qwen's models take up to 16 million pixels, which would fill a context.
TEST_F(PictureConversations, aLargePictureTakesAQuarterOfTheContext) {
    Process process = start();
    Picture large{2000, 1500, std::vector<uint8_t>(size_t{3} * 2000 * 1500)};
    const auto taken = process.shelf->take(kHash, large);
    ASSERT_TRUE(taken) << taken.error().message;
    const uint32_t tokens = session::factsOf(**taken).tokens;
    EXPECT_LE(tokens, options().contextTokens / 4);
    EXPECT_GT(tokens, options().contextTokens / 5);
}

TEST_F(PictureConversations, whatMessagesSayIsNoMark) {
    Process process = start();
    ASSERT_TRUE(process.shelf->take(kHash, m_picture));
    const auto tokensOf = [&](const std::string& question) {
        return run(process, chat(question)).plan.promptTokens;
    };
    // A mark in a text costs its letters, and not twenty rows.
    const std::string mark = "<__picture_0>";
    EXPECT_EQ(tokensOf(mark + mark) - tokensOf(mark), tokensOf(mark + mark + mark) - tokensOf(mark + mark));
    EXPECT_LT(tokensOf(mark + mark) - tokensOf(mark), 14u);
}

/// One such picture does not end its conversation, although its own answer failed.
TEST_F(PictureConversations, whatCannotBeReadIsToldInLaterQuestions) {
    Process process = start();
    process.shelf->refuse(kHash,
                          withId<ErrorId::PictureTooNarrow>(Error{ErrorCode::InvalidArgument, "too narrow"}));
    RecordingSink refused;
    process.scheduler->submit(chat("What?"), refused);
    while (process.scheduler->step()) {
    }
    ASSERT_TRUE(refused.error);
    EXPECT_EQ(refused.error->id, "pictureTooNarrow");
    GenerateRequest later = chat("What?");
    later.messages.push_back(textMessage(Role::User, "And now?"));
    EXPECT_GT(run(process, later).plan.promptTokens, 0u);
}

TEST_F(PictureConversations, aModelWithoutAVisionFileTellsWhatItCannotSee) {
    fs::remove(m_folder.file("qwen3vl.mmproj.gguf"));
    const auto model = loadModel(m_model, options());
    EXPECT_FALSE(model->info().seesPictures);
    session::Scheduler scheduler(*model, nullptr);
    RecordingSink refused, told;
    scheduler.submit(chat("What?"), refused);
    GenerateRequest later = chat("What?");
    later.messages[0].parts[1].text = "a cat";
    later.messages.push_back(textMessage(Role::Assistant, "A cat."));
    later.messages.push_back(textMessage(Role::User, "Thanks."));
    scheduler.submit(later, told);
    while (scheduler.step()) {
    }
    ASSERT_TRUE(refused.error);
    EXPECT_EQ(refused.error->id, "cannotSee");
    EXPECT_TRUE(told.result) << told.error->message;
}

/// Encodes until nobody wants it any more.
class EndlessPictures final : public GivenPictures {
  public:
    using GivenPictures::GivenPictures;
    Status encode(const KnownPicture&, const std::string&,
                  const std::function<void(double)>& progress) override {
        progress(0.5);
        isEncoding = true;
        while (!StopScope::isStopWanted()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return fail(ErrorCode::Cancelled, "cancelled");
    }
    std::atomic<bool> isEncoding = false;
};

TEST_F(PictureConversations, answersGoOnBesideAPictureAndACancelEndsIt) {
    const auto model = loadModel(m_model, options());
    EncodedPicture picture;
    picture.rowWidth = model->opened().sight->bound.facts().pictureWidth;
    picture.tiles.push_back({.before = {}, .width = 1, .height = 1, .numRows = 1, .seen = {}});
    const auto pictures = std::make_shared<EndlessPictures>(std::vector{picture});
    model->showPictures(pictures);
    session::Scheduler scheduler(*model, nullptr);
    RecordingSink seeing, beside;
    GenerateRequest request = chat("What?");
    request.messages[0].parts[1].data = "0";
    const GenerationId id = scheduler.submit(request, seeing);
    while (!pictures->isEncoding) scheduler.step();
    scheduler.submit({.maxTokens = 12, .rawTokens = {5, 6, 7}}, beside);
    while (!beside.result && !beside.error) scheduler.step();
    EXPECT_TRUE(beside.result);
    EXPECT_FALSE(seeing.result);
    EXPECT_EQ(seeing.encoded, 0.5);
    scheduler.cancel(id);
    scheduler.step();
    ASSERT_TRUE(seeing.result);
    EXPECT_EQ(seeing.result->reason, StopReason::Cancelled);
}

/// What the device chooses ahead of the host has the coordinates of a text, too.
TEST_F(PictureConversations, aTextIsTheSameWhereTheDeviceDecodesAhead) {
    test::VulkanDevices devices;
    if (!devices.missing().empty()) GTEST_SKIP() << devices.missing();
    LoadOptions onDevice = options();
    onDevice.backend = BackendChoice::Vulkan;
    onDevice.kv = KvType::F32;
    const auto source = io::Source::open(m_model);
    const auto model = session::Model::load(*source, onDevice, nullptr, devices.factory());
    ASSERT_TRUE(model) << model.error().message;
    session::Scheduler scheduler(**model, nullptr);
    std::vector<std::vector<TokenId>> ids;
    for (const uint32_t chances : {0U, 1U}) {  // with them the host chooses
        RecordingSink sink;
        GenerateRequest request;
        request.messages = {textMessage(Role::User, "Tell me about the sea and hills")};
        request.sampler.temperature = 0;
        request.maxTokens = 24;
        request.chances = chances;
        scheduler.submit(request, sink);
        while (scheduler.step()) {
        }
        ASSERT_TRUE(sink.result) << sink.error->message;
        ids.push_back(sink.ids);
    }
    EXPECT_EQ(ids[0], ids[1]);
}

TEST_F(PictureConversations, theVisionFileIsFoundByWhatItHolds) {
    put("gemma3.mmproj.gguf");
    fs::rename(m_folder.file("qwen3vl.mmproj.gguf"), m_folder.file("a.gguf"));
    const auto info = inspectModel(m_model, options());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_TRUE(info->seesPictures);
    EXPECT_THAT(info->visionFile, EndsWith("/a.gguf"));
    EXPECT_TRUE(info->visionFiles.empty());
    EXPECT_GT(info->memory.weightBytes, info->fileBytes);

    LoadOptions wrong = options();
    wrong.visionFile = m_folder.file("gemma3.mmproj.gguf");
    const auto refused = inspectModel(m_model, wrong);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().id, "visionFileUnfit");
}

TEST_F(PictureConversations, severalVisionFilesAreOffered) {
    use("gemma3");
    put("gemma3.f16.mmproj.gguf");
    const auto info = inspectModel(m_model, options());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_TRUE(info->seesPictures);
    EXPECT_THAT(info->visionFiles,
                ElementsAre(EndsWith("gemma3.f16.mmproj.gguf"), EndsWith("gemma3.mmproj.gguf")));
}

/// One that was not downloaded to its end, or of a type that nobody knows, is named.
TEST_F(PictureConversations, aVisionFileThatCannotBeUsedIsNamed) {
    const std::string file = m_folder.file("qwen3vl.mmproj.gguf");
    fs::resize_file(file, fs::file_size(file) / 2);
    const auto info = inspectModel(m_model, options());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_FALSE(info->seesPictures);
    EXPECT_THAT(info->visionTrouble, StartsWith(file));
    const auto model = loadModel(m_model, options());
    session::Scheduler scheduler(*model, nullptr);
    RecordingSink refused;
    scheduler.submit(chat("What?"), refused);
    while (scheduler.step()) {
    }
    ASSERT_TRUE(refused.error);
    EXPECT_THAT(refused.error->message, HasSubstr(file));
    // One that can be used is, whatever lies beside it.
    fs::copy_file(test::visionFolder() / "qwen3vl.mmproj.gguf", m_folder.file("z.gguf"));
    const auto seeing = inspectModel(m_model, options());
    ASSERT_TRUE(seeing) << seeing.error().message;
    EXPECT_THAT(seeing->visionFile, EndsWith("/z.gguf"));
    EXPECT_EQ(seeing->visionTrouble, "");
}

TEST_F(PictureConversations, aDraftModelNeedsNoVisionFile) {
    use("gemma3");
    LoadOptions both = options();
    both.visionFile = m_folder.file("gemma3.mmproj.gguf");
    both.draft = put("text-llama.gguf");
    const auto engine = Engine::load(m_model, both, nullptr);
    ASSERT_TRUE(engine) << engine.error().message;
    EXPECT_TRUE((*engine)->info().seesPictures);
}

/// The width of rows says little of models that have no vision file of their own.
TEST_F(PictureConversations, aFileThatOnlyHasTheWidthIsOfferedAndNotTaken) {
    use("llava", "llama");
    const auto info = inspectModel(m_model, options());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_FALSE(info->seesPictures);
    EXPECT_THAT(info->visionFiles, ElementsAre(EndsWith("llava.mmproj.gguf")));
}

}  // namespace
}  // namespace ingle
