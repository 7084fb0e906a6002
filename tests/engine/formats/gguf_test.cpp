#include <gmock/gmock.h>

#include <fstream>

#include "engine/formats/file_reader.h"
#include "engine/tensor/side_data.h"
#include "tests/engine/formats/sample_files.h"
#include "tests/golden.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::formats {
namespace {

using test::ByteString;
using ::testing::HasSubstr;

Result<ModelFile> openBytes(std::string_view bytes) {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("model"), std::ios::binary) << bytes;
    // The mapping outlives the folder: an unlinked file stays mapped.
    return openModelFile(test::opened(folder.file("model")));
}

/// Magic, version and counts.
ByteString head(uint64_t numTensors, uint64_t numKeys, uint32_t version = 3) {
    ByteString file;
    file.text("GGUF").put(version).put(numTensors).put(numKeys);
    return file;
}

constexpr int32_t kU8 = 0;
constexpr int32_t kU32 = 4;
constexpr int32_t kStringType = 8;
constexpr int32_t kArrayType = 9;

ByteString& putArchitecture(ByteString& file) {
    return file.countedText("general.architecture").put(kStringType).countedText("llama");
}

ByteString& putInfo(ByteString& file, std::string_view name, const std::vector<uint64_t>& dims, int32_t type,
                    uint64_t offset) {
    file.countedText(name).put(static_cast<uint32_t>(dims.size()));
    for (const uint64_t dim : dims) file.put(dim);
    return file.put(type).put(offset);
}

std::string withData(const ByteString& file, size_t dataBytes) {
    std::string bytes = file.bytes();
    bytes.resize((bytes.size() + 31) / 32 * 32 + dataBytes);
    return bytes;
}

void expectRefused(std::string_view bytes, ErrorCode code, const char* message) {
    const auto model = openBytes(bytes);
    ASSERT_FALSE(model.has_value()) << message;
    EXPECT_EQ(model.error().code, code) << model.error().message;
    EXPECT_THAT(model.error().message, HasSubstr(message));
}

TEST(GgufReader, namesAreShownCutAndWithoutControlCharacters) {
    const std::string name = "\x1b]0;owned\x07" + std::string(5000, 'n');
    const std::string shownName = "\\x1b]0;owned\\x07" + std::string(80 - 1 - 16, 'n') + "\u2026'";
    expectRefused(head(0, 1).countedText(name).put(int32_t{13}).put(uint64_t{0}).bytes(), ErrorCode::Corrupt,
                  ("key '" + shownName).c_str());
    ByteString file = head(1, 1);
    putArchitecture(file);
    putInfo(file, name.substr(0, 60), {32}, 99, 0);
    expectRefused(file.bytes(), ErrorCode::Unsupported, "tensor '\\x1b]0;owned\\x07nnn");
}

/// Ids of tokens of a head that guesses for another model.
TEST(GgufReader, listsOfWholeNumbersBecomeKeys) {
    constexpr int32_t kI64 = 27;
    ByteString file = head(2, 1);
    putArchitecture(file);
    putInfo(file, "d2t", {3}, kI64, 0);
    putInfo(file, "w", {2}, 0, 32);
    std::string bytes = withData(file, 40);
    const std::string ids = ByteString().put(int64_t{5}).put(int64_t{-1}).put(int64_t{300'000}).bytes();
    bytes.replace(bytes.size() - 40, ids.size(), ids);
    const auto model = openBytes(bytes);
    ASSERT_TRUE(model) << model.error().message;
    const auto* numbers = std::get_if<std::vector<int64_t>>(model->metadata.find("d2t"));
    ASSERT_NE(numbers, nullptr);
    EXPECT_EQ(*numbers, (std::vector<int64_t>{5, -1, 300'000}));
    EXPECT_FALSE(model->find("d2t"));
    EXPECT_TRUE(model->find("w"));

    const auto refused = [&](const char* name, const std::vector<uint64_t>& dims, ErrorCode code,
                             const char* message) {
        ByteString other = head(1, 1);
        putArchitecture(other);
        putInfo(other, name, dims, kI64, 0);
        expectRefused(withData(other, 24), code, message);
    };
    refused("d2t", {4}, ErrorCode::Corrupt, "'d2t' of 4 numbers is outside the file");
    refused("d2t", {uint64_t{1} << 62}, ErrorCode::Corrupt, "a list of");
    refused("general.architecture", {3}, ErrorCode::Corrupt, "is there already");
    refused("d2t", {1, 3}, ErrorCode::Unsupported, "is stored as I64");
}

TEST(GgufWriter, whatItWritesIsReadBack) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    const std::map<std::string, MetaValue> values = {
        {"general.architecture", std::string("test")},
        {"int.small", int64_t{7}},
        {"int.negative", int64_t{-7}},
        {"int.wide", int64_t{1} << 40},
        {"int.unsigned", ~uint64_t{0}},
        {"float.single", 0.5},
        {"float.double", 1e300},
        {"bool", true},
        {"string", std::string("a\0b\xFF", 4)},
        {"array.int", std::vector<int64_t>{1, -2, 3}},
        {"array.wide", std::vector<int64_t>{int64_t{1} << 40}},
        {"array.float", std::vector<double>{0.5, -1}},
        {"array.double", std::vector<double>{1e300}},
        {"array.string", std::vector<std::string>{"", std::string("\0", 1), "x"}},
        {"array.empty", std::vector<std::string>{}},
    };
    GgufWriter writer;
    for (const auto& [key, value] : values) writer.set(key, value);
    for (const quant::QuantFormat* format : quant::allFormats()) {
        if (!format->encodeRow) continue;
        const auto rows = test::sampleRows(*format, 256);
        ASSERT_TRUE(writer.addTensor(std::string(format->name), {{256, 3, 2, 1}}, *format, rows).has_value());
    }
    ASSERT_TRUE(writer.write(path).has_value());

    const auto model = openModelFile(test::opened(path));
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ(model->format, "GGUF v3");
    EXPECT_EQ(model->path, path);
    for (const auto& [key, value] : values) {
        const MetaValue* read = model->metadata.find(key);
        ASSERT_NE(read, nullptr) << key;
        EXPECT_EQ(*read, value) << key;
    }
    for (const quant::QuantFormat* format : quant::allFormats()) {
        if (!format->encodeRow) continue;
        const tensor::Tensor* tensor = model->find(format->name);
        ASSERT_NE(tensor, nullptr) << format->name;
        EXPECT_EQ(tensor->shape, (tensor::Shape{{256, 3, 2, 1}}));
        EXPECT_EQ(tensor->format, format);
        std::vector<std::byte> row(quant::rowBytes(*format, 256).value());
        for (uint64_t r = 0; r < 6; ++r) {
            ASSERT_TRUE(test::sampleRows(*format, 256)(r, row).has_value());
            const auto stored = tensor->data.subspan(r * row.size(), row.size());
            EXPECT_TRUE(std::ranges::equal(stored, row)) << format->name << " row " << r;
        }
    }
}

TEST(GgufWriter, copiesEncodedTensors) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(test::writeLlamaGguf(folder.file("a")).has_value());
    const auto model = openModelFile(test::opened(folder.file("a")));
    ASSERT_TRUE(model.has_value()) << model.error().message;
    GgufWriter writer;
    for (const auto& [key, value] : model->metadata.all()) writer.set(key, value);
    for (const auto& [name, tensor] : model->tensors)
        ASSERT_TRUE(writer.addTensor(name, tensor.shape, *tensor.format, copyRows(tensor)).has_value());
    ASSERT_TRUE(writer.write(folder.file("b")).has_value());
    const auto copy = openModelFile(test::opened(folder.file("b")));
    ASSERT_TRUE(copy.has_value()) << copy.error().message;
    EXPECT_EQ(copy->metadata.all(), model->metadata.all());
    ASSERT_EQ(copy->tensors.size(), model->tensors.size());
    for (const auto& [name, tensor] : model->tensors)
        EXPECT_TRUE(std::ranges::equal(copy->find(name)->data, tensor.data)) << name;
}

TEST(GgufWriter, refusesWhatNoReaderTakes) {
    const quant::QuantFormat& q4 = *quant::findFormat("Q4_0");
    const auto rows = test::sampleRows(q4, 32);
    GgufWriter writer;
    EXPECT_TRUE(writer.addTensor("a", {{32, 1, 1, 1}}, q4, rows).has_value());
    EXPECT_FALSE(writer.addTensor("a", {{32, 1, 1, 1}}, q4, rows).has_value());
    EXPECT_FALSE(writer.addTensor("", {{32, 1, 1, 1}}, q4, rows).has_value());
    quant::QuantFormat foreign = q4;
    foreign.id = {quant::kFirstForeignId};
    EXPECT_FALSE(writer.addTensor("b", {{32, 1, 1, 1}}, foreign, rows).has_value());
    tensor::Tensor scaled{"c", {{32, 1, 1, 1}}, &q4, {}};
    scaled.side = std::make_shared<const tensor::SideData>();
    std::vector<std::byte> row(scaled.rowBytes());
    EXPECT_EQ(copyRows(scaled)(0, row).error().code, ErrorCode::Unsupported);
    EXPECT_FALSE(writer.addTensor(std::string(64, 'x'), {{32, 1, 1, 1}}, q4, rows).has_value());
    EXPECT_FALSE(writer.addTensor("b", {{33, 1, 1, 1}}, q4, rows).has_value());
}

TEST(GgufWriter, leavesNoFileWhenASourceFails) {
    const test::TemporaryFolder folder;
    GgufWriter writer;
    const auto failing = [](uint64_t, std::span<std::byte>) -> Status {
        return fail(ErrorCode::Cancelled, "stop");
    };
    ASSERT_TRUE(writer.addTensor("a", {{32, 1, 1, 1}}, *quant::findFormat("F32"), failing).has_value());
    EXPECT_EQ(writer.write(folder.file("model")).error().code, ErrorCode::Cancelled);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(GgufReader, readsEveryValueType) {
    ByteString file = head(0, 13);
    file.countedText("u8").put(int32_t{0}).put(uint8_t{200});
    file.countedText("i8").put(int32_t{1}).put(int8_t{-2});
    file.countedText("u16").put(int32_t{2}).put(uint16_t{60000});
    file.countedText("i16").put(int32_t{3}).put(int16_t{-3});
    file.countedText("u32").put(int32_t{4}).put(uint32_t{4000000000});
    file.countedText("i32").put(int32_t{5}).put(int32_t{-4});
    file.countedText("f32").put(int32_t{6}).put(1.5F);
    file.countedText("bool").put(int32_t{7}).put(uint8_t{2});
    file.countedText("string").put(int32_t{8}).countedText("x");
    file.countedText("u64").put(int32_t{10}).put(uint64_t{1} << 63);
    file.countedText("i64").put(int32_t{11}).put(int64_t{-5});
    file.countedText("f64").put(int32_t{12}).put(2.5);
    file.countedText("array")
        .put(kArrayType)
        .put(int32_t{3})
        .put(uint64_t{2})
        .put(int16_t{-1})
        .put(int16_t{1});
    const auto model = openBytes(file.bytes());
    ASSERT_TRUE(model.has_value()) << model.error().message;
    const std::map<std::string, MetaValue> expected = {{"u8", int64_t{200}},
                                                       {"i8", int64_t{-2}},
                                                       {"u16", int64_t{60000}},
                                                       {"i16", int64_t{-3}},
                                                       {"i32", int64_t{-4}},
                                                       {"f32", 1.5},
                                                       {"u32", int64_t{4000000000}},
                                                       {"bool", true},
                                                       {"string", std::string("x")},
                                                       {"u64", uint64_t{1} << 63},
                                                       {"i64", int64_t{-5}},
                                                       {"f64", 2.5},
                                                       {"array", std::vector<int64_t>{-1, 1}}};
    for (const auto& [key, value] : expected) {
        ASSERT_NE(model->metadata.find(key), nullptr) << key;
        EXPECT_EQ(*model->metadata.find(key), value) << key;
    }
    EXPECT_EQ(model->tokenizer.model, "none");
}

TEST(GgufReader, refusesBadHeaders) {
    expectRefused("GGUF", ErrorCode::Corrupt, "4 bytes are needed at byte 4");
    expectRefused("GGML" + std::string(60, '\0'), ErrorCode::Unsupported,
                  "not a model file of a known format");
    expectRefused(head(0, 0, 1).bytes(), ErrorCode::Unsupported, "version 1");
    expectRefused(head(0, 0, 4).bytes(), ErrorCode::Unsupported, "version 4");
    expectRefused(head(0, 0, 3U << 24).bytes(), ErrorCode::Unsupported, "big-endian");
    expectRefused(head(0, ~uint64_t{0}).bytes(), ErrorCode::Corrupt, "keys");
    expectRefused(head(~uint64_t{0}, 0).bytes(), ErrorCode::Corrupt, "tensors");
    expectRefused(head(0, 1).bytes(), ErrorCode::Corrupt, "only 0 follow");
}

TEST(GgufReader, refusesBadKeys) {
    expectRefused(head(0, 1).countedText("").put(kU8).put(uint8_t{1}).bytes(), ErrorCode::Corrupt,
                  "empty key");
    expectRefused(head(0, 1).put(~uint64_t{0}).text("x").bytes(), ErrorCode::Corrupt, "are needed");
    expectRefused(head(0, 2)
                      .countedText("k")
                      .put(kU8)
                      .put(uint8_t{1})
                      .countedText("k")
                      .put(kU8)
                      .put(uint8_t{1})
                      .bytes(),
                  ErrorCode::Corrupt, "'k' occurs twice");
    expectRefused(head(0, 1).countedText("k").put(int32_t{13}).put(uint64_t{0}).bytes(), ErrorCode::Corrupt,
                  "unknown value type 13");
    expectRefused(head(0, 1).countedText("k").put(kArrayType).put(int32_t{-1}).put(uint64_t{0}).bytes(),
                  ErrorCode::Corrupt, "unknown value type -1");
    expectRefused(head(0, 1).countedText("k").put(kArrayType).put(kArrayType).put(uint64_t{0}).bytes(),
                  ErrorCode::Unsupported, "array of arrays");
    expectRefused(head(0, 1).countedText("k").put(kArrayType).put(kStringType).put(uint64_t{1} << 20).bytes(),
                  ErrorCode::Corrupt, "array of 1048576 elements");
    expectRefused(head(0, 1).countedText("k").put(kArrayType).put(kU8).put(~uint64_t{0}).bytes(),
                  ErrorCode::Corrupt, "elements");
    expectRefused(head(0, 1).countedText("general.alignment").put(kU32).put(uint32_t{24}).bytes(),
                  ErrorCode::Corrupt, "general.alignment is 24");
    expectRefused(head(0, 1).countedText("general.alignment").put(kU32).put(uint32_t{0}).bytes(),
                  ErrorCode::Corrupt, "general.alignment is 0");
    expectRefused(head(0, 1).countedText("split.count").put(kU32).put(uint32_t{3}).bytes(),
                  ErrorCode::Corrupt, "missing key 'split.no'");
}

TEST(GgufReader, refusesBadTensors) {
    const auto one = [](std::string_view name, const std::vector<uint64_t>& dims, int32_t type,
                        uint64_t offset) {
        ByteString file = head(1, 1);
        putArchitecture(file);
        putInfo(file, name, dims, type, offset);
        return withData(file, 128);
    };
    ASSERT_TRUE(openBytes(one("t", {32}, 0, 0)).has_value());
    ASSERT_TRUE(openBytes(one("t", {2, 2, 2, 2}, 0, 64)).has_value());
    ASSERT_TRUE(openBytes(one(std::string(63, 'n'), {32}, 0, 0)).has_value());
    expectRefused(one("", {32}, 0, 0), ErrorCode::Corrupt, "has no name");
    expectRefused(one(std::string(64, 'n'), {32}, 0, 0), ErrorCode::Corrupt, "tensor name of 64 bytes");
    expectRefused(one("t", {}, 0, 0), ErrorCode::Corrupt, "0 dimensions");
    expectRefused(one("t", {1, 1, 1, 1, 1}, 0, 0), ErrorCode::Corrupt, "5 dimensions");
    expectRefused(one("t", {0}, 0, 0), ErrorCode::Corrupt, "'t'");
    expectRefused(one("t", {4, 0}, 0, 0), ErrorCode::Corrupt, "dimension of zero");
    expectRefused(one("t", {~uint64_t{0}}, 0, 0), ErrorCode::Corrupt, "'t'");
    expectRefused(one("t", {uint64_t{1} << 32, uint64_t{1} << 32}, 0, 0), ErrorCode::Corrupt, "too large");
    expectRefused(one("t", {31}, 2, 0), ErrorCode::Corrupt, "not a whole number of Q4_0 blocks");
    expectRefused(one("t", {32}, 4, 0), ErrorCode::Unsupported, "Q4_2");
    expectRefused(one("t", {32}, 31, 0), ErrorCode::Unsupported, "unknown block type 31");
    expectRefused(one("t", {32}, -1, 0), ErrorCode::Unsupported, "unknown block type -1");
    expectRefused(one("t", {256}, 15, 0), ErrorCode::Unsupported, "'t' is stored as Q8_K");
    expectRefused(one("t", {8}, 0, 16), ErrorCode::Corrupt, "not aligned");
    expectRefused(one("t", {33}, 0, 0), ErrorCode::Corrupt, "past the end");
    expectRefused(one("t", {32}, 0, 32), ErrorCode::Corrupt, "past the end");
    expectRefused(one("t", {32}, 0, ~uint64_t{31}), ErrorCode::Corrupt, "outside the file");
}

TEST(GgufReader, refusesTensorsThatShareANameOrBytes) {
    const auto two = [](std::string_view first, std::string_view second, uint64_t secondOffset) {
        ByteString file = head(2, 1);
        putArchitecture(file);
        putInfo(file, first, {16}, 0, 0);
        putInfo(file, second, {16}, 0, secondOffset);
        return withData(file, 128);
    };
    ASSERT_TRUE(openBytes(two("a", "b", 64)).has_value());
    expectRefused(two("a", "a", 64), ErrorCode::Corrupt, "occurs twice");
    expectRefused(two("a", "b", 32), ErrorCode::Corrupt, "overlaps");
}

/// A count is looked at before memory is asked for: 15 million empty texts took a gigabyte.
TEST(GgufReader, refusesMoreTextsThanAVocabularyHas) {
    const auto texts = [](uint64_t stated, uint64_t there) {
        ByteString file = head(0, 2);
        putArchitecture(file);
        file.countedText("tokenizer.ggml.tokens").put(kArrayType).put(kStringType).put(stated);
        std::string bytes = file.bytes();
        bytes.resize(bytes.size() + 8 * there);
        return bytes;
    };
    expectRefused(texts(15'000'000, 15'000'000), ErrorCode::Corrupt, "an array of 15000000 texts");
    expectRefused(texts(4'000'000, 600'000), ErrorCode::Corrupt, "4000000 elements in");
}

TEST(GgufReader, refusesTensorsWithoutAnArchitecture) {
    ByteString file = head(1, 0);
    putInfo(file, "t", {8}, 0, 0);
    expectRefused(withData(file, 32), ErrorCode::Corrupt, "missing key 'general.architecture'");
}

TEST(GgufReader, checksTheTokenizerArrays) {
    const auto vocabulary = [](int32_t scoreType, uint64_t numScores) {
        ByteString file = head(0, 4);
        file.countedText("tokenizer.ggml.model").put(kStringType).countedText("llama");
        file.countedText("tokenizer.ggml.tokens").put(kArrayType).put(kStringType).put(uint64_t{2});
        file.countedText("a").countedText("b");
        file.countedText("tokenizer.ggml.scores").put(kArrayType).put(scoreType).put(numScores);
        for (uint64_t i = 0; i < numScores; ++i) file.put(1.0F);
        file.countedText("tokenizer.ggml.bos_token_id").put(kU32).put(uint32_t{2});
        return file.bytes();
    };
    const auto model = openBytes(vocabulary(6, 3));
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ(model->tokenizer.tokens, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(model->tokenizer.scores, (std::vector<float>{1, 1}));
    EXPECT_EQ(model->tokenizer.bos, std::nullopt) << "an id outside the vocabulary is ignored";
    expectRefused(vocabulary(6, 1), ErrorCode::Corrupt, "1 entries for 2 tokens");
}

}  // namespace
}  // namespace ingle::formats
