// Damaged files can only produce a Result: thousands of mutations of small valid files, each within a second
// and 64 MiB. INGLE_MUTATIONS sets the number per format, INGLE_SEED the seed.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <new>
#include <random>

#include "engine/lab/synth.h"
#include "engine/models/family.h"
#include "tests/draft_head_file.h"
#include "tests/engine/formats/exercise.h"
#include "tests/engine/formats/sample_architectures.h"
#include "tests/engine/formats/sample_files.h"
#include "tests/engine/formats/sample_folders.h"
#include "tests/engine/formats/sample_lists.h"
#include "tests/engine/formats/sample_packed.h"
#include "tests/engine/formats/sample_pickles.h"
#include "tests/golden.h"
#include "tests/opened.h"
#include "tests/processor_time.h"
#include "tests/temporary_folder.h"
#include "tests/test_name.h"

namespace {

/// Bytes that operator new has given out and not got back, and the most there ever were.
std::atomic<int64_t> liveBytes{0};
std::atomic<int64_t> peakBytes{0};

void* countedOrNull(size_t size, size_t alignment = alignof(std::max_align_t)) {
    // aligned_alloc wants whole multiples of the alignment.
    void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (!memory) return nullptr;
    const int64_t live = liveBytes += static_cast<int64_t>(::malloc_usable_size(memory));
    if (live > peakBytes) peakBytes = live;
    return memory;
}

void* countedAllocation(size_t size, size_t alignment = alignof(std::max_align_t)) {
    void* memory = countedOrNull(size, alignment);
    if (!memory) throw std::bad_alloc();
    return memory;
}

void countedRelease(void* memory) {
    if (memory) liveBytes -= static_cast<int64_t>(::malloc_usable_size(memory));
    std::free(memory);
}

}  // namespace

void* operator new(size_t size) {
    return countedAllocation(size);
}
void* operator new[](size_t size) {
    return countedAllocation(size);
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
    return countedOrNull(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
    return countedOrNull(size);
}
void* operator new(size_t size, std::align_val_t alignment) {
    return countedAllocation(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return countedOrNull(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory, std::align_val_t) noexcept {
    countedRelease(memory);
}
void operator delete(void* memory) noexcept {
    countedRelease(memory);
}
void operator delete[](void* memory) noexcept {
    countedRelease(memory);
}
void operator delete(void* memory, size_t) noexcept {
    countedRelease(memory);
}
void operator delete[](void* memory, size_t) noexcept {
    countedRelease(memory);
}

namespace ingle {
namespace {

constexpr int64_t kMaxBytes = int64_t{64} << 20;
constexpr double kMaxSeconds = 1;

uint64_t numberFromEnvironment(const char* name, uint64_t fallback) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : fallback;
}

/// One kind of damage; half of the hits go to the header.
std::string mutate(const std::string& original, size_t headerBytes, std::mt19937_64& random) {
    const auto below = [&](uint64_t bound) { return static_cast<size_t>(random() % bound); };
    std::string bytes = original;
    const auto position = [&] {
        return below(below(2) ? bytes.size() : std::min(bytes.size(), headerBytes));
    };
    const auto overwrite = [&](const auto& value) {
        const size_t at = std::min(position(), bytes.size() - sizeof value);
        std::memcpy(bytes.data() + at, &value, sizeof value);
    };
    switch (below(6)) {
        case 0:
            for (size_t i = below(4) + 1; i > 0; --i) bytes[position()] ^= static_cast<char>(1 << below(8));
            break;
        case 1: {
            constexpr char kValues[] = {'\0', '\x7f', '\x80', '\xff'};
            for (size_t i = below(8) + 1; i > 0; --i) bytes[position()] = kValues[below(4)];
            break;
        }
        case 2: {
            constexpr uint32_t kValues[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x10000, 0xFFFFFF00};
            overwrite(kValues[below(7)]);
            break;
        }
        case 3: {
            constexpr uint64_t kValues[] = {
                0,          1,          uint64_t{1} << 63, ~uint64_t{0}, uint64_t{1} << 62,
                1ULL << 32, 1ULL << 24, ~uint64_t{0} >> 1, ~uint64_t{31}};
            overwrite(kValues[below(9)]);
            break;
        }
        case 4:
            bytes.resize(position() + 1);
            break;
        default:
            if (below(2))
                bytes.erase(position(), below(16) + 1);
            else
                bytes.insert(position(), below(16) + 1, static_cast<char>(random()));
    }
    return bytes;
}

class Damage {
  public:
    using Exercise = Status (*)(const std::string& path);

    Damage(std::string original, size_t headerBytes, Exercise exercise = test::exerciseFile)
        : m_original(std::move(original)), m_headerBytes(headerBytes), m_exercise(exercise) {}
    /// A part of a split model, damaged between its undamaged siblings.
    Damage(const formats::ModelFile& model, size_t part, size_t count, size_t headerBytes)
        : m_headerBytes(headerBytes) {
        EXPECT_TRUE(test::writeShards(model, m_folder.file("damaged"), count).has_value());
        m_path = test::shardName(m_folder.file("damaged"), part, count);
        m_original = test::readBytes(m_path);
    }

    /// A file of a folder, damaged between the others; the folder is opened.
    Damage(const test::FolderFiles& files, const std::string& damaged, size_t headerBytes,
           Exercise exercise = test::exerciseFile)
        : m_original(files.at(damaged)), m_headerBytes(headerBytes), m_exercise(exercise) {
        test::writeFolder(files, m_folder);
        m_path = m_folder.file(damaged);
        m_opened = m_folder.path().string();
    }

    void expectSound() const {
        write(m_original);
        const Status status = m_exercise(m_opened.empty() ? m_path : m_opened);
        ASSERT_TRUE(status.has_value()) << status.error().message;
    }

    /// What a file says reaches a terminal cut and without control characters.
    static void expectASentence(const std::string& message, const std::string& what) {
        EXPECT_EQ(message, escaped(message)) << what;
        EXPECT_LT(message.size(), 1000u) << what;
    }

    /// `what` describes the mutation. False when the file was accepted all the same.
    bool isRefused(const std::string& bytes, const std::string& what) const {
        write(bytes);
        const int64_t before = liveBytes;
        peakBytes = before;
        const double start = test::processorSeconds();
        const Status status = m_exercise(m_opened.empty() ? m_path : m_opened);
        EXPECT_LT(test::processorSeconds() - start, kMaxSeconds) << what;
        EXPECT_LT(peakBytes - before, kMaxBytes) << what;
        if (!status) expectASentence(status.error().message, what);
        return !status.has_value();
    }

    enum class Text { WithRules, AnyLines };

    /// Of files in which any lines are a list nothing has to be refused.
    void tryMutations(uint64_t usually = 1000, Text text = Text::WithRules) const {
        const uint64_t count = numberFromEnvironment("INGLE_MUTATIONS", usually);
        const uint64_t seed = numberFromEnvironment("INGLE_SEED", std::random_device()());
        std::cout << "INGLE_SEED=" << seed << ", the file of a crash stays in " << m_path << std::endl;
        uint64_t refused = 0;
        for (uint64_t i = 0; i < count; ++i) {
            std::mt19937_64 random(seed + i);
            refused +=
                isRefused(mutate(m_original, m_headerBytes, random), fmt::format("INGLE_SEED={}", seed + i));
        }
        std::cout << refused << " of " << count << " mutations were refused\n";
        if (text == Text::WithRules) {
            EXPECT_GT(refused, count / 10);
        }
    }

    /// Every length up to the end of the header, or every so many, and some more.
    void tryTruncations(size_t step = 1) const {
        for (size_t size = 0; size < m_original.size(); size += size < m_headerBytes ? step : 977)
            EXPECT_TRUE(isRefused(m_original.substr(0, size), fmt::format("cut at {}", size))) << size;
    }

  private:
    void write(const std::string& bytes) const { std::ofstream(m_path, std::ios::binary) << bytes; }

    std::string m_original;
    size_t m_headerBytes;
    Exercise m_exercise = test::exerciseFile;
    test::TemporaryFolder m_folder;
    std::string m_path = m_folder.file("damaged");
    std::string m_opened;  ///< where that is not the damaged file
};

std::string ggufFile() {
    const test::TemporaryFolder folder;
    EXPECT_TRUE(test::writeLlamaGguf(folder.file("model")).has_value());
    return test::readBytes(folder.file("model"));
}

TEST(Damage, gguf) {
    const Damage damage(ggufFile(), 10000);
    damage.expectSound();
    damage.tryMutations();
    damage.tryTruncations();
}

TEST(Damage, splitGguf) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(test::writeLlamaGguf(folder.file("model")).has_value());
    const auto model = formats::openModelFile(test::opened(folder.file("model"))).value();
    for (const size_t part : {0U, 1U}) {
        const Damage damage(model, part, 2, part == 0 ? 10000 : 500);
        damage.expectSound();
        damage.tryMutations();
        damage.tryTruncations();
    }
}

/// The files of a folder, one after the other. A test run tries fewer of each, since there are many.
TEST(Damage, folder) {
    const std::pair<test::FolderFiles, std::vector<std::pair<std::string, size_t>>> folders[] = {
        {test::mixtralFolder(),
         {{"model.safetensors", 2000},
          {"config.json", 1000},
          {"tokenizer.json", 10000},
          {"tokenizer_config.json", 200},
          {"generation_config.json", 200}}},
        {test::shardedFolder(),
         {{"model-00002-of-00002.safetensors", 1000}, {"model.safetensors.index.json", 2000}}}};
    constexpr uint64_t kUsualMutations = 50;
    constexpr size_t kStep = 17;
    for (const auto& [files, damaged] : folders) {
        for (const auto& [name, headerBytes] : damaged) {
            SCOPED_TRACE(name);
            const Damage damage(files, name, headerBytes);
            damage.expectSound();
            damage.tryMutations(kUsualMutations);
            damage.tryTruncations(kStep);
        }
    }
}

/// Vocabularies that are lists, and what lies beside encoders. Cut between lines they are lists as well.
TEST(Damage, folderOfLists) {
    struct Case {
        test::FolderFiles files;
        const char* name;
        Damage::Text text;
        Damage::Exercise exercise;
    };
    using enum Damage::Text;
    const Case cases[] = {
        {test::mergesFolder(), "vocab.json", WithRules, test::exerciseFile},
        {test::mergesFolder(), "merges.txt", AnyLines, test::exerciseFile},
        {test::mergesFolder(), "added_tokens.json", WithRules, test::exerciseFile},
        {test::mergesFolder(), "special_tokens_map.json", WithRules, test::exerciseFile},
        {test::tiktokenFolder(), "tokenizer.model", WithRules, test::exerciseFile},
        {test::bertFolder(), "vocab.txt", AnyLines, test::exerciseEncoder},
        {test::bertFolder(), "modules.json", WithRules, test::exerciseEncoder},
        {test::bertFolder(), "config.json", WithRules, test::exerciseEncoder},
    };
    constexpr uint64_t kUsualMutations = 100;
    for (const Case& each : cases) {
        SCOPED_TRACE(each.name);
        const Damage damage(each.files, each.name, each.files.at(each.name).size(), each.exercise);
        damage.expectSound();
        damage.tryMutations(kUsualMutations, each.text);
        if (std::string_view(each.name).ends_with(".json")) damage.tryTruncations(37);
    }
}

/// Architectures whose tensors are taken apart, turned or stacked.
TEST(Damage, architectures) {
    constexpr uint64_t kUsualMutations = 50;
    const auto damaged = [](const auto& folders, Damage::Exercise exercise) {
        for (const auto& [model, files] : folders) {
            for (const auto& [name, headerBytes] :
                 {std::pair("model.safetensors", 3000), std::pair("config.json", 1000)}) {
                SCOPED_TRACE(fmt::format("{} of {}", name, model));
                const Damage damage(files, name, static_cast<size_t>(headerBytes), exercise);
                damage.expectSound();
                damage.tryMutations(kUsualMutations);
            }
        }
    };
    damaged(test::writerFolders(), test::exerciseFile);
    damaged(test::encoderFolders(), test::exerciseEncoder);
}

/// Gives the head to its model, which writes a few tokens.
Status exerciseDraftHead(const std::string& path) {
    static const test::TemporaryFolder folder;
    static const std::string model = folder.file("model");
    static const Status written = lab::writeSynthModel({.sizes = {.numLayers = 5}, .quant = "F32"}, model);
    INGLE_TRY(written);
    INGLE_TRY_ASSIGN(const auto engine, Engine::load(model, {.threads = 1, .draft = path}, nullptr));
    test::ErrorSink sink;
    GenerateRequest request{.maxTokens = 4, .guesses = Guesses::Draft};
    request.rawTokens = {1, 2, 3};
    INGLE_TRY(engine->submit(std::move(request), sink));
    while (engine->step()) {
    }
    return sink.status;
}

/// A head that predicts for a model.
TEST(Damage, draftHead) {
    const test::TemporaryFolder folder;
    const test::DraftKind kind{.hasTokens = true};
    ASSERT_TRUE(test::DraftFile(kind).write(folder.file("head"), kind, {0, 2, 4}));
    const Damage damage(test::readBytes(folder.file("head")), 2000, exerciseDraftHead);
    constexpr uint64_t kUsualMutations = 200;
    constexpr size_t kStep = 37;
    damage.expectSound();
    damage.tryMutations(kUsualMutations);
    damage.tryTruncations(kStep);
}

/// Packed weights: what says how, and the tensors.
TEST(Damage, packedFolder) {
    constexpr uint64_t kUsualMutations = 50;
    constexpr size_t kStep = 37;
    for (const auto& [method, files] : test::packedFolders()) {
        for (const auto& [name, headerBytes] :
             {std::pair("model.safetensors", 3000), std::pair("config.json", 1000)}) {
            SCOPED_TRACE(fmt::format("{} of {}", name, method));
            const Damage damage(files, name, static_cast<size_t>(headerBytes));
            damage.expectSound();
            damage.tryMutations(kUsualMutations);
            damage.tryTruncations(kStep);
        }
    }
}

TEST(Damage, pytorch) {
    for (const test::PickleForm form : {test::PickleForm::Archive, test::PickleForm::Legacy}) {
        constexpr size_t kHeaderBytes = 3000;
        constexpr uint64_t kUsualMutations = 200;
        constexpr size_t kStep = 17;
        const Damage damage(test::pytorchFolder(form), "pytorch_model.bin", kHeaderBytes);
        damage.expectSound();
        damage.tryMutations(kUsualMutations);
        damage.tryTruncations(kStep);
    }
}

TEST(Damage, rwkvCpp) {
    for (const int version : {4, 5, 6, 7}) {
        SCOPED_TRACE(version);
        const Damage damage(test::rwkvFile(version), 100);
        damage.expectSound();
        damage.tryMutations();
        damage.tryTruncations();
    }
}

/// Keys of a small file that agree with each other and ask for tables of gigabytes.
TEST(Damage, sizesOfNoModelAreRefused) {
    struct Case {
        std::string family;
        std::vector<std::pair<std::string, int64_t>> keys;
    };
    const Case cases[] = {
        {"lfm2",
         {{"attention.head_count", 1}, {"attention.head_count_kv", 0}, {"rope.dimension_count", 0xFFFFFFFE}}},
        {"llama",
         {{"block_count", 4096},
          {"attention.head_count", 1},
          {"attention.head_count_kv", 1},
          {"attention.key_length", 1 << 20}}},
    };
    for (const auto& [family, keys] : cases) {
        SCOPED_TRACE(family);
        const test::TemporaryFolder folder;
        ASSERT_TRUE(lab::writeSynthModel({.family = family}, folder.file("model")));
        formats::ModelFile model = formats::openModelFile(test::opened(folder.file("model"))).value();
        for (const auto& [key, value] : keys) model.metadata.set(fmt::format("{}.{}", family, key), value);
        const int64_t before = liveBytes;
        peakBytes = before;
        EXPECT_FALSE(models::bindModel(model));
        EXPECT_LT(peakBytes - before, kMaxBytes);
    }
}

/// A small model of each family. What their files have in common is tried above; a test run tries less of
/// them.
class FamilyDamage : public testing::TestWithParam<const models::ModelFamily*> {};

TEST_P(FamilyDamage, givesAResult) {
    constexpr uint64_t kUsualMutations = 50;
    const models::ModelFamily& family = *GetParam();
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model");
    ASSERT_TRUE(lab::writeSynthModel({.family = std::string(family.arch)}, path));
    uint64_t weightBytes = 0;
    const formats::ModelFile model = formats::openModelFile(test::opened(path)).value();
    for (const auto& [name, tensor] : model.tensors) weightBytes += tensor.bytes();
    const std::string file = test::readBytes(path);
    const bool isEncoder = family.kind == models::FamilyKind::Encoder;
    const Damage damage(file, file.size() - weightBytes,
                        isEncoder ? test::exerciseEncoder : test::exerciseFile);
    damage.expectSound();
    damage.tryMutations(kUsualMutations);
}

INSTANTIATE_TEST_SUITE_P(Table, FamilyDamage,
                         testing::ValuesIn(models::allFamilies().begin(), models::allFamilies().end()),
                         [](const auto& param) { return test::testName(param.param->arch); });

/// What looks at it before any reader does. A test run tries less: all of the model is opened, too.
TEST(Damage, recognised) {
    constexpr uint64_t kUsualMutations = 50;
    constexpr size_t kStep = 97;
    const Damage damage(ggufFile(), 10000, test::exerciseRecognise);
    damage.expectSound();
    damage.tryMutations(kUsualMutations);
    damage.tryTruncations(kStep);
}

TEST(Damage, import) {
    const std::pair<std::string, size_t> files[] = {{ggufFile(), 10000},
                                                    {test::rwkvFile(7), 100},
                                                    {test::llama2cVersion2File(), 41},
                                                    {test::fastLlmFile(), 2000}};
    for (const auto& [file, headerBytes] : files) {
        const Damage damage(file, headerBytes, test::exerciseImport);
        damage.expectSound();
        damage.tryMutations();
        damage.tryTruncations();
    }
}

TEST(Damage, llama2c) {
    const Damage damage(test::llama2cFile(), 28);
    damage.expectSound();
    damage.tryMutations();
    damage.tryTruncations();
}

TEST(Damage, llama2cVersion1) {
    const Damage damage(test::llama2cVersion1File(), 37);
    damage.expectSound();
    damage.tryMutations();
    damage.tryTruncations();
}

TEST(Damage, llama2cVersion2) {
    const Damage damage(test::llama2cVersion2File(), 41);
    damage.expectSound();
    damage.tryMutations();
    damage.tryTruncations();
}

TEST(Damage, fastLlm) {
    const std::string file = test::fastLlmFile();
    const Damage damage(file, file.find("model.embed_tokens") + 40);
    damage.expectSound();
    damage.tryMutations();
    damage.tryTruncations();
}

/// The places between the weights.
TEST(Damage, fastLlmRecords) {
    const std::string file = test::fastLlmFile();
    const Damage damage(file, file.size());
    damage.tryMutations();
}

TEST(Damage, allocationsAreSeen) {
    const int64_t before = liveBytes;
    peakBytes = before;
    { const std::vector<char> large(static_cast<size_t>(kMaxBytes) + 1); }
    EXPECT_GT(peakBytes - before, kMaxBytes);
}

}  // namespace
}  // namespace ingle
