/// A tower on a graphics device, and what happens when that fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/session/conversations/scheduler.h"
#include "engine/session/pictures/picture_shelf.h"
#include "tests/engine/session/faulty_backend.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/engine/vision/golden_pictures.h"
#include "tests/opened.h"

namespace ingle::session {
namespace {

namespace fs = std::filesystem;
using test::Faults;
using test::FaultyCall;
using testing::HasSubstr;
using testing::StartsWith;

/// The processor, but for attention: until it is told to be simple, nothing sees what comes behind it.
class CausalDevice final : public backend::Backend {
  public:
    CausalDevice(std::shared_ptr<backend::Backend> inner, bool simpleIsRight)
        : m_inner(std::move(inner)), m_simpleIsRight(simpleIsRight) {}

    std::string_view name() const override { return "causal"; }
    std::string deviceName() const override { return "The wrong GPU"; }
    bool supports(backend::OpCode code) const override { return m_inner->supports(code); }
    Result<std::unique_ptr<backend::MemoryPool>> createMemory(
        const backend::MemorySpec& spec, const backend::MemoryOptions& options) override {
        return m_inner->createMemory(spec, options);
    }
    Result<std::unique_ptr<backend::Program>> compile(const backend::Plan& plan,
                                                      backend::MemoryPool& memory) override {
        backend::Plan changed = plan;
        for (backend::Op& op : changed.ops)
            if (auto* attention = std::get_if<backend::AttentionParams>(&op.params); attention && m_isWrong)
                attention->mask = backend::Mask::Causal;
        return m_inner->compile(changed, memory);
    }
    bool simplify() override { return m_simpleIsRight && std::exchange(m_isWrong, false); }

  private:
    const std::shared_ptr<backend::Backend> m_inner;
    const bool m_simpleIsRight;
    bool m_isWrong = true;
};

DeviceFactory causalDevices(bool simpleIsRight) {
    return [simpleIsRight](const LoadOptions& options) -> Result<ChosenDevice> {
        INGLE_TRY_ASSIGN(auto inner, createProcessor(options));
        return ChosenDevice{.backend = std::make_shared<CausalDevice>(std::move(inner), simpleIsRight)};
    };
}

class TowerOnADevice : public testing::Test {
  protected:
    void SetUp() override {
        if (!fs::exists(test::visionFolder())) GTEST_SKIP() << "no golden vectors";
        m_picture = test::readPng(test::visionFolder() / "shapes.png");
    }

    static std::unique_ptr<VisionModel> open(const std::string& type) {
        const fs::path path = test::visionFolder() / (type + ".mmproj.gguf");
        auto model = VisionModel::open(test::opened(path), test::exactOptions(type), std::nullopt);
        if (!model) ADD_FAILURE() << model.error().message;
        return model ? *std::move(model) : nullptr;
    }

    Picture m_picture;
};

TEST_F(TowerOnADevice, anyCallMayFailAndTheProcessorMakesTheSameRows) {
    for (const std::string type : {"qwen2.5vl", "minicpmv"}) {
        SCOPED_TRACE(type);
        const auto expected = open(type)->encode(m_picture);
        ASSERT_TRUE(expected) << expected.error().message;
        for (FaultyCall Faults::*call : {&Faults::run, &Faults::readOutput, &Faults::createSequence,
                                         &Faults::compile, &Faults::createMemory, &Faults::checkRoom}) {
            Faults none;
            const auto undisturbed = open(type);
            ASSERT_TRUE(undisturbed->moveToDevice(test::faultyDevices(none)));
            const int inCheck = (none.*call).calls;
            ASSERT_TRUE(undisturbed->encode(m_picture));
            EXPECT_EQ(undisturbed->note(), "");
            const int inAll = (none.*call).calls;
            ASSERT_GT(inAll, inCheck);
            for (const int n : {inCheck, (inCheck + inAll) / 2, inAll - 1}) {
                SCOPED_TRACE(n);
                Faults faults;
                (faults.*call).failing = {n};
                const auto model = open(type);
                ASSERT_TRUE(model->moveToDevice(test::faultyDevices(faults)));
                for (int i = 0; i < 2; ++i) {
                    const auto rows = model->encode(m_picture);
                    ASSERT_TRUE(rows) << rows.error().message;
                    EXPECT_EQ(rows->rows, expected->rows);
                    EXPECT_EQ(model->note(),
                              fmt::format("The tested GPU failed at a picture, so the processor reads "
                                          "pictures: call {} failed",
                                          n));
                }
            }
        }
    }
}

TEST_F(TowerOnADevice, aCancelIsNoFailure) {
    Faults none;
    const auto model = open("qwen3vl");
    ASSERT_TRUE(model->moveToDevice(test::faultyDevices(none)));
    const auto cut = model->cut(m_picture);
    const auto rows = model->encode(*cut, [](double) { return true; });
    ASSERT_FALSE(rows);
    EXPECT_EQ(rows.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(model->note(), "");
}

TEST_F(TowerOnADevice, oneThatComputesWrongIsNotUsed) {
    for (const std::string type : {"gemma3", "qwen2.5vl", "minicpmv4.6", "llava"}) {
        SCOPED_TRACE(type);
        const auto model = open(type);
        const auto expected = model->encode(m_picture);
        const Status moved = model->moveToDevice(causalDevices(false));
        ASSERT_FALSE(moved);
        EXPECT_EQ(moved.error().code, ErrorCode::Device);
        EXPECT_THAT(moved.error().message, StartsWith("The wrong GPU computes wrong rows of pictures"));
        EXPECT_EQ(model->encode(m_picture)->rows, expected->rows);
        EXPECT_TRUE(model->moveToDevice(causalDevices(true))) << "with its simple kernels";
    }
}

/// A model on a device, whose vision file is encoded there, too.
class PicturesOnADevice : public TowerOnADevice {
  protected:
    struct Run {
        explicit Run(DeviceFactory tower) : tower(std::move(tower)) {
            LoadOptions options = test::exactOptions("gemma3");
            options.backend = BackendChoice::Auto;
            options.visionFile = test::visionFolder() / "gemma3.mmproj.gguf";
            const auto source = test::opened(test::visionFolder() / "text-gemma3.gguf");
            model =
                Model::load(source, options, nullptr, test::faultyDevices(ofModel), test::unchecked).value();
            shelf = std::make_shared<PictureShelf>(*model, nullptr, this->tower);
            model->showPictures(shelf);
            scheduler = std::make_unique<Scheduler>(*model, nullptr);
        }
        test::RecordingSink ask(const std::string& hash) {
            GenerateRequest request;
            request.messages = {{Role::User, {{PartKind::Text, "What?", {}}, {PartKind::Image, "", hash}}}};
            request.sampler.temperature = 0;
            request.maxTokens = 2;
            test::RecordingSink sink;
            scheduler->submit(request, sink);
            while (scheduler->step()) {
            }
            EXPECT_TRUE(sink.result) << (sink.error ? sink.error->message : "no end");
            return sink;
        }

        Faults ofModel;
        DeviceFactory tower;
        std::unique_ptr<Model> model;
        std::shared_ptr<PictureShelf> shelf;
        std::unique_ptr<Scheduler> scheduler;
    };

    static inline const std::string kFirst = std::string(63, '0') + "1", kSecond = std::string(63, '0') + "2";
};

TEST_F(PicturesOnADevice, whoAsksIsToldOnceThatTheProcessorReadsThem) {
    Faults none;
    Run undisturbed(test::faultyDevices(none));
    ASSERT_TRUE(undisturbed.shelf->take(kFirst, m_picture));
    EXPECT_EQ(none.create.calls, 0) << "before the first picture is read";
    EXPECT_TRUE(undisturbed.ask(kFirst).devices.empty());
    EXPECT_GT(none.run.calls, 0);

    Faults faults;
    faults.run.failing = {none.run.calls - 1};
    Run lost(test::faultyDevices(faults));
    for (const std::string& hash : {kFirst, kSecond}) ASSERT_TRUE(lost.shelf->take(hash, m_picture));
    const test::RecordingSink first = lost.ask(kFirst), second = lost.ask(kSecond);
    ASSERT_EQ(first.devices.size(), 1u);
    EXPECT_EQ(first.devices[0].device, "The tested GPU") << "the model stays there";
    EXPECT_THAT(first.devices[0].note, StartsWith("The tested GPU failed at a picture, so the processor"));
    EXPECT_TRUE(second.devices.empty());
    EXPECT_EQ(faults.create.calls, 1);
}

TEST_F(PicturesOnADevice, oneThatCannotBeUsedIsTold) {
    Faults faults;
    faults.checkRoom = {{0}, ErrorCode::OutOfMemory, 0};
    Run full(test::faultyDevices(faults));
    ASSERT_TRUE(full.shelf->take(kFirst, m_picture));
    const test::RecordingSink sink = full.ask(kFirst);
    ASSERT_EQ(sink.devices.size(), 1u);
    EXPECT_THAT(sink.devices[0].note,
                HasSubstr("is not used for pictures, so the processor reads them: call 0 failed"));
}

/// Room is left for the tower where more than one conversation fits.
TEST_F(PicturesOnADevice, conversationsLeaveRoomForTheTower) {
    Faults none;
    Run roomy(test::faultyDevices(none));
    const auto& opened = roomy.model->opened();
    ASSERT_GT(opened.sight->fileBytes, 0u);
    EXPECT_EQ(opened.sight->fileBytes, fs::file_size(opened.sight->visionFile));
    const auto tokens = [&](uint64_t room) {
        LoadOptions options = roomy.model->options();
        Faults faults;
        faults.room = room;
        const auto source = test::opened(opened.file.path);
        const auto model =
            Model::load(source, options, nullptr, test::faultyDevices(faults), test::unchecked);
        EXPECT_TRUE(model) << model.error().message;
        return faults.memoryMade.reservedTokens;
    };
    const backend::MemoryOptions& made = roomy.ofModel.memoryMade;
    const uint64_t ofAll =
        backend::neededBytes(opened.shape.memory, {made.kv, made.reservedTokens, made.reservedSequences});
    EXPECT_EQ(tokens(ofAll + opened.sight->fileBytes), made.reservedTokens);
    EXPECT_LT(tokens(ofAll), made.reservedTokens);
}

}  // namespace
}  // namespace ingle::session
