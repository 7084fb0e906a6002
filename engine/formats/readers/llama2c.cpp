// llama2.c checkpoints, versions 0, 1 and 2: seven i32 (dim, hidden dim, layers, heads, key/value heads,
// vocabulary, positions), then float32 arrays, each stacked over the layers. Source: llama2.c's run.c and
// export.py. Rows of wq and wk rotate adjacent pairs, which is the order of GGUF's "llama" as well. Version 0
// begins with the seven numbers; a negative vocabulary says that the output matrix is not shared with the
// embedding. There is no magic number, so the sizes must give exactly the file's size.
// Versions 1 and 2 begin with a magic number and the version, have a byte for the shared output matrix, and
// their header takes 256 bytes. The matrices of version 2 are int8 in groups of any size, and a matrix's
// scales (float32, one a group) follow all its bytes.
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "engine/formats/file_reader.h"
#include "engine/formats/llama2c_layout.h"
#include "engine/formats/tensor_directory.h"
#include "engine/io/byte_reader.h"
#include "engine/quant/integers.h"
#include "engine/tensor/side_data.h"
#include "ingle/error_ids.h"

namespace ingle::formats::llama2c_reader {
namespace {

using namespace llama2c;

constexpr size_t kConfigBytes = 7 * sizeof(int32_t);
constexpr size_t kVersionedConfigOffset = 8;
constexpr size_t kSharedOutputOffset = kVersionedConfigOffset + kConfigBytes;
constexpr size_t kGroupSizeOffset = kSharedOutputOffset + 1;
// Bounds of a plausible header. They keep every product below far from 2^64: 2^12 * 2^22 * 2^22.
constexpr int64_t kMaxLayers = 1 << 12;
constexpr int64_t kMaxWidth = 1 << 22;
constexpr int64_t kMaxCount = 1 << 24;

/// The numbers at the beginning of `bytes`, if they describe a model.
std::optional<llama2c::Config> parseConfig(std::span<const std::byte> bytes) {
    if (bytes.size() < kConfigBytes) return std::nullopt;
    std::array<int32_t, 7> fields;
    std::memcpy(fields.data(), bytes.data(), kConfigBytes);
    const auto [dim, hiddenDim, numLayers, numHeads, numKvHeads, signedVocab, numPositions] = fields;
    const int64_t vocabSize = signedVocab < 0 ? -int64_t{signedVocab} : signedVocab;
    const auto within = [](int64_t value, int64_t max) { return value > 0 && value <= max; };
    const bool plausible = within(dim, kMaxWidth) && within(hiddenDim, kMaxWidth) &&
                           within(numLayers, kMaxLayers) && within(numHeads, dim) &&
                           within(numKvHeads, numHeads) && within(vocabSize, kMaxCount) &&
                           within(numPositions, kMaxCount);
    if (!plausible || dim % numHeads != 0 || numHeads % numKvHeads != 0 || dim / numHeads % 2 != 0)
        return std::nullopt;
    const auto size = [](int64_t value) { return static_cast<uint64_t>(value); };
    return llama2c::Config{size(dim),        size(hiddenDim), size(numLayers),    size(numHeads),
                           size(numKvHeads), size(vocabSize), size(numPositions), signedVocab > 0};
}

uint64_t version0Bytes(const llama2c::Config& c) {
    uint64_t elems = 0;
    for (const StackedArray& array : arraysInOrder(c, 0)) elems += array.shape.numElems() * array.count(c);
    return kConfigBytes + elems * sizeof(float);
}

bool isVersioned(std::span<const std::byte> file) {
    uint32_t magic = 0;
    if (file.size() < sizeof magic) return false;
    std::memcpy(&magic, file.data(), sizeof magic);
    return magic == kMagic;
}

Match probe(std::span<const std::byte> file) {
    if (isVersioned(file)) return Match::Magic;
    const auto config = parseConfig(file);
    return config && version0Bytes(*config) == file.size() ? Match::Size : Match::No;
}

void setKeys(Metadata& metadata, const llama2c::Config& c) {
    const auto setCount = [&](const char* key, uint64_t value) {
        metadata.set(key, static_cast<int64_t>(value));
    };
    metadata.set("general.architecture", std::string("llama"));
    setCount("llama.context_length", c.numPositions);
    setCount("llama.embedding_length", c.dim);
    setCount("llama.block_count", c.numLayers);
    setCount("llama.feed_forward_length", c.hiddenDim);
    setCount("llama.attention.head_count", c.numHeads);
    setCount("llama.attention.head_count_kv", c.numKvHeads);
    setCount("llama.vocab_size", c.vocabSize);
    metadata.set("llama.attention.layer_norm_rms_epsilon", double{kEpsilon});
    metadata.set("llama.rope.freq_base", double{kRopeBase});
}

struct VersionedHeader {
    llama2c::Config config;
    int32_t version;
    uint64_t groupSize;  ///< of version 2's matrices, else 0
};

Result<uint64_t> parseGroupSize(std::span<const std::byte> file, const llama2c::Config& c) {
    int32_t size = 0;
    std::memcpy(&size, file.data() + kGroupSizeOffset, sizeof size);
    if (size <= 0 || c.dim % static_cast<uint64_t>(size) != 0 ||
        c.hiddenDim % static_cast<uint64_t>(size) != 0)
        return fail(ErrorCode::Corrupt, "groups of {} do not divide rows of {} and {}", size, c.dim,
                    c.hiddenDim);
    return static_cast<uint64_t>(size);
}

Result<VersionedHeader> parseVersionedHeader(std::span<const std::byte> file) {
    int32_t version = 0;
    if (file.size() >= kVersionedConfigOffset) std::memcpy(&version, file.data() + 4, sizeof version);
    if (version != 1 && version != 2)
        return withId<ErrorId::UnknownVersion>(
            fail(ErrorCode::Unsupported, "llama2.c files of version {} are not supported (0, 1 and 2 are)",
                 version),
            "llama2.c", version);
    if (file.size() < kHeaderBytes)
        return fail(ErrorCode::Corrupt, "the header of a llama2.c file takes {} bytes, this one has {}",
                    kHeaderBytes, file.size());
    auto config = parseConfig(file.subspan(kVersionedConfigOffset));
    // The sign of the vocabulary's size means something in version 0 only.
    if (!config || !config->sharedOutput) return fail(ErrorCode::Corrupt, "not a llama2.c header");
    config->sharedOutput = file[kSharedOutputOffset] != std::byte{0};
    VersionedHeader header{*config, version, 0};
    if (version == 2) {
        INGLE_TRY_ASSIGN(header.groupSize, parseGroupSize(file, *config));
    }
    return header;
}

/// Reads the file's arrays one after another into a model.
class ArrayReader {
  public:
    ArrayReader(std::span<const std::byte> file, const llama2c::Config& config, uint64_t groupSize,
                uint64_t offset)
        : m_file(file), m_config(config), m_groupSize(groupSize), m_offset(offset) {}

    Result<ModelFile> read(int32_t version) {
        m_model.format = fmt::format("llama2.c v{}", version);
        m_model.tokenizer.model = "none";
        setKeys(m_model.metadata, m_config);
        for (const StackedArray& array : arraysInOrder(m_config, version)) {
            const bool perLayer = array.extent == Extent::OnePerLayer;
            for (uint64_t layer = 0; layer < array.count(m_config); ++layer) {
                const std::string prefix = perLayer ? fmt::format("blk.{}.", layer) : "";
                std::string name = fmt::format("{}{}.weight", prefix, array.name);
                if (array.name.empty())
                    m_offset += array.shape.numElems() * sizeof(float);
                else if (m_groupSize > 0 && array.role == Role::Matrix)
                    INGLE_TRY(readGroups(std::move(name), array.shape));
                else
                    INGLE_TRY(readFloats(std::move(name), array.shape));
            }
        }
        return std::move(m_model);
    }

  private:
    Status readFloats(std::string name, const tensor::Shape& shape) {
        INGLE_TRY_ASSIGN(const uint64_t bytes, addTensor(m_model, m_file, std::move(name), shape,
                                                         *quant::findFormat(quant::kF32), m_offset));
        m_offset += bytes;
        return {};
    }

    /// The integers of the whole matrix, then their scales.
    Status readGroups(std::string name, const tensor::Shape& shape) {
        INGLE_TRY_ASSIGN(const uint64_t count, addTensor(m_model, m_file, name, shape,
                                                         *quant::findInteger(quant::kInt8), m_offset));
        const uint64_t scaleBytes = count / m_groupSize * sizeof(float);
        m_offset += count;
        if (scaleBytes > m_file.size() - m_offset)
            return withId<ErrorId::DownloadCutShort>(
                fail(ErrorCode::Corrupt,
                     "the scales of tensor '{}' at byte {} end past the end of the file ({} bytes)", name,
                     m_offset, m_file.size()),
                m_file.size());
        m_model.tensors.find(name)->second.side = std::make_shared<const tensor::SideData>(
            tensor::SideData{.partColumns = m_groupSize,
                             .scales = tensor::FloatList::at(m_file.subspan(m_offset, scaleBytes))});
        m_offset += scaleBytes;
        return {};
    }

    std::span<const std::byte> m_file;
    const llama2c::Config& m_config;
    uint64_t m_groupSize;
    uint64_t m_offset;
    ModelFile m_model;
};

Result<ModelFile> read(std::span<const std::byte> file) {
    if (isVersioned(file)) {
        INGLE_TRY_ASSIGN(const VersionedHeader header, parseVersionedHeader(file));
        return ArrayReader(file, header.config, header.groupSize, kHeaderBytes).read(header.version);
    }
    const auto config = parseConfig(file);
    if (!config) return fail(ErrorCode::Corrupt, "not a llama2.c header");
    return ArrayReader(file, *config, 0, kConfigBytes).read(0);
}

/// The vocabulary beside the checkpoint: u32 longest token, then for each token of the model f32 score, i32
/// length and bytes. U+2581 is written as a space. Source: llama2.c's tokenizer.py and run.c.
Result<TokenizerData> readTokenizer(std::span<const std::byte> file, uint64_t vocabSize) {
    constexpr size_t kFirstByteToken = 3;
    constexpr size_t kNumByteTokens = 256;
    io::ByteReader in(file);
    INGLE_TRY_ASSIGN(const auto longest, in.read<uint32_t>());
    TokenizerData data;
    data.model = "llama";
    for (uint64_t id = 0; id < vocabSize; ++id) {
        INGLE_TRY_ASSIGN(const auto score, in.read<float>());
        INGLE_TRY_ASSIGN(const auto length, in.read<uint32_t>());
        if (length > longest)
            return fail(ErrorCode::Corrupt, "token {} has {} bytes, the longest {}", id, length, longest);
        INGLE_TRY_ASSIGN(const auto text, in.text(length));
        const bool isByte = id >= kFirstByteToken && id < kFirstByteToken + kNumByteTokens;
        std::string token;
        for (const char c : text) token += c == ' ' ? std::string_view("\u2581") : std::string_view(&c, 1);
        data.tokens.push_back(std::move(token));
        data.scores.push_back(score);
        data.types.push_back(id == 0                ? TokenType::Unknown
                             : id < kFirstByteToken ? TokenType::Control
                             : isByte               ? TokenType::Byte
                                                    : TokenType::Normal);
    }
    if (in.remaining() > 0)
        return fail(ErrorCode::Corrupt, "it has more tokens than the {} of the model", vocabSize);
    // The file spells these two with line ends around them.
    if (vocabSize > 2) {
        data.tokens[1] = "<s>";
        data.tokens[2] = "</s>";
    }
    return data;
}

Status readCompanions(ModelFile& model, const io::Source& source) {
    INGLE_TRY_ASSIGN(const auto vocabulary, source.findSibling("tokenizer.bin"));
    if (!vocabulary) return {};
    INGLE_TRY_ASSIGN(const auto file, io::MappedFile::map(*vocabulary));
    INGLE_TRY_ASSIGN(const uint32_t vocabSize, model.metadata.u32("llama.vocab_size"));
    auto data = readTokenizer(file->bytes(), vocabSize);
    if (!data) return happenedTo(vocabulary->path(), std::move(data).error());
    model.tokenizer = std::move(*data);
    return {};
}

}  // namespace

extern const FileReader reader{
    .name = "llama2.c", .probe = probe, .read = read, .readCompanions = readCompanions};

}  // namespace ingle::formats::llama2c_reader
