// GGUF versions 2 and 3, see engine/formats/gguf.h; split models, see gguf_shards.h.
#include "engine/formats/gguf.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "engine/formats/file_reader.h"
#include "engine/formats/gguf_shards.h"
#include "engine/formats/tensor_directory.h"
#include "engine/formats/tokenizer_data.h"
#include "engine/io/byte_reader.h"
#include "ingle/error_ids.h"

namespace ingle::formats::gguf_reader {
namespace {

using gguf::ValueType;

/// Bounds for headers, well above what real files need (a vocabulary of 256k tokens takes 10 MiB and a
/// million array elements), so that a damaged count cannot ask for much memory.
constexpr uint64_t kMaxHeaderBytes = uint64_t{256} << 20;
constexpr uint64_t kMaxArrayElements = uint64_t{1} << 24;
constexpr uint64_t kMaxTexts = uint64_t{1}
                               << 22;  ///< of all arrays; an empty one takes 8 bytes here, 32 in memory
constexpr uint64_t kMaxKeys = 1 << 16;

constexpr int32_t kI64 = 27;

/// Names for the message about a block type this version cannot decode; empty where the number is unused.
constexpr std::array<std::string_view, 43> kTypeNames = {
    "F32",   "F16",    "Q4_0",  "Q4_1", "Q4_2", "Q4_3",    "Q5_0",   "Q5_1",    "Q8_0",  "Q8_1",   "Q2_K",
    "Q3_K",  "Q4_K",   "Q5_K",  "Q6_K", "Q8_K", "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S",
    "IQ2_S", "IQ4_XS", "I8",    "I16",  "I32",  "I64",     "F64",    "IQ1_M",   "BF16",  "",       "",
    "",      "TQ1_0",  "TQ2_0", "",     "",     "",        "MXFP4",  "NVFP4",   "Q1_0",  "Q2_0"};

struct TensorInfo {
    std::string name;
    tensor::Shape shape;
    const quant::QuantFormat* format;  ///< null: a list of whole numbers
    uint64_t offset;

    bool isList() const { return !format; }
    /// Errors: as of tensor::checkedBytes().
    Result<uint64_t> bytes() const {
        if (!isList()) return tensor::checkedBytes(shape, *format);
        if (shape.dims[0] > SIZE_MAX / sizeof(int64_t))
            return fail(ErrorCode::Corrupt, "a list of {} numbers", shape.dims[0]);
        return shape.dims[0] * sizeof(int64_t);
    }
};

class GgufHeader {
  public:
    explicit GgufHeader(std::span<const std::byte> file)
        : m_file(file), m_in(file.first(std::min<uint64_t>(file.size(), kMaxHeaderBytes))) {}

    Result<ModelFile> read() {
        auto model = readAll();
        const bool isCutShort = !model && m_in.ranOut() && m_file.size() < kMaxHeaderBytes;
        if (isCutShort && model.error().id.empty())
            return withId<ErrorId::DownloadCutShort>(tl::unexpected(std::move(model).error()), m_file.size());
        return model;
    }

  private:
    Result<ModelFile> readAll() {
        INGLE_TRY(m_in.take(gguf::kMagic.size()));
        INGLE_TRY(readVersion());
        INGLE_TRY_ASSIGN(const auto numTensors, m_in.read<uint64_t>());
        INGLE_TRY_ASSIGN(const auto numKeys, m_in.read<uint64_t>());
        if (numTensors > kMaxTensors)
            return fail(ErrorCode::Corrupt, "the header counts {} tensors", numTensors);
        if (numKeys > kMaxKeys) return fail(ErrorCode::Corrupt, "the header counts {} keys", numKeys);
        for (uint64_t i = 0; i < numKeys; ++i) INGLE_TRY(readKey());
        INGLE_TRY(checkKeys(numTensors));
        std::vector<TensorInfo> infos;
        for (uint64_t i = 0; i < numTensors; ++i) {
            INGLE_TRY_ASSIGN(TensorInfo info, readTensorInfo());
            infos.push_back(std::move(info));
        }
        const std::optional<uint64_t> whole = wholeBytes(infos);
        Status placed = placeTensors(std::move(infos));
        if (!placed && whole && *whole > m_file.size())
            return withId<ErrorId::DownloadIncomplete>(tl::unexpected(std::move(placed).error()),
                                                       m_file.size(), *whole);
        INGLE_TRY(std::move(placed));
        INGLE_TRY_ASSIGN(m_model.tokenizer, readTokenizerData(m_model.metadata));
        return std::move(m_model);
    }

    Status readVersion() {
        INGLE_TRY_ASSIGN(const auto version, m_in.read<uint32_t>());
        if ((version & 0xFFFF) == 0 && version != 0)
            return fail(ErrorCode::Unsupported,
                        "the GGUF file is big-endian; only little-endian files can be used");
        if (version < 2 || version > gguf::kVersion)
            return withId<ErrorId::UnknownVersion>(
                fail(ErrorCode::Unsupported, "GGUF version {} is not supported (2 and 3 are)", version),
                "GGUF", version);
        m_model.format = fmt::format("GGUF v{}", version);
        return {};
    }

    Result<std::string> readString() {
        INGLE_TRY_ASSIGN(const auto size, m_in.read<uint64_t>());
        INGLE_TRY_ASSIGN(const auto text, m_in.text(size));
        return std::string(text);
    }

    Status readKey() {
        INGLE_TRY_ASSIGN(std::string key, readString());
        if (key.empty()) return fail(ErrorCode::Corrupt, "an empty key before byte {}", m_in.offset());
        if (m_model.metadata.find(key)) return fail(ErrorCode::Corrupt, "key '{}' occurs twice", shown(key));
        auto value = readValue();
        if (!value) return happenedTo(fmt::format("key '{}'", shown(key)), std::move(value).error());
        m_model.metadata.set(std::move(key), std::move(*value));
        return {};
    }

    Result<ValueType> readType() {
        INGLE_TRY_ASSIGN(const auto number, m_in.read<int32_t>());
        if (number < static_cast<int32_t>(ValueType::U8) || number > static_cast<int32_t>(ValueType::F64))
            return fail(ErrorCode::Corrupt, "unknown value type {}", number);
        return static_cast<ValueType>(number);
    }

    Result<MetaValue> readValue() {
        INGLE_TRY_ASSIGN(const ValueType type, readType());
        if (type == ValueType::String) return readString();
        if (type == ValueType::Array) return readArray();
        if (type == ValueType::Bool) {
            INGLE_TRY_ASSIGN(const auto value, m_in.read<uint8_t>());
            return value != 0;
        }
        if (isFloat(type)) return readFloat(type);
        if (type == ValueType::U64) {
            INGLE_TRY_ASSIGN(const auto value, m_in.read<uint64_t>());
            if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return value;
            return static_cast<int64_t>(value);
        }
        return readInteger(type);
    }

    static bool isFloat(ValueType type) { return type == ValueType::F32 || type == ValueType::F64; }

    Result<double> readFloat(ValueType type) {
        if (type == ValueType::F64) return m_in.read<double>();
        return m_in.read<float>();
    }

    template <typename T>
    Result<int64_t> readInteger() {
        INGLE_TRY_ASSIGN(const auto value, m_in.read<T>());
        if (std::is_same_v<T, uint64_t> && value > static_cast<T>(std::numeric_limits<int64_t>::max()))
            return fail(ErrorCode::Corrupt, "an array holds {}, which is out of range", value);
        return static_cast<int64_t>(value);
    }

    Result<int64_t> readInteger(ValueType type) {
        switch (type) {
            case ValueType::U8:
            case ValueType::Bool:
                return readInteger<uint8_t>();
            case ValueType::I8:
                return readInteger<int8_t>();
            case ValueType::U16:
                return readInteger<uint16_t>();
            case ValueType::I16:
                return readInteger<int16_t>();
            case ValueType::U32:
                return readInteger<uint32_t>();
            case ValueType::I32:
                return readInteger<int32_t>();
            case ValueType::U64:
                return readInteger<uint64_t>();
            default:  // I64, the only integer left; readType() admits nothing unknown
                return readInteger<int64_t>();
        }
    }

    Result<MetaValue> readArray() {
        INGLE_TRY_ASSIGN(const ValueType type, readType());
        INGLE_TRY_ASSIGN(const auto count, m_in.read<uint64_t>());
        if (type == ValueType::Array) return fail(ErrorCode::Unsupported, "an array of arrays");
        const bool isText = type == ValueType::String;
        const uint64_t most = isText ? kMaxTexts : kMaxArrayElements;
        uint64_t& total = isText ? m_arrayTexts : m_arrayElements;
        total += std::min(count, most + 1);
        if (total > most)
            return fail(ErrorCode::Corrupt, "an array of {} {}; a header may hold {}", count,
                        isText ? "texts" : "elements", most);
        if (isText) return readElements<std::string>(count, sizeof(uint64_t), [&] { return readString(); });
        if (isFloat(type)) return readElements<double>(count, 1, [&] { return readFloat(type); });
        return readElements<int64_t>(count, 1, [&] { return readInteger(type); });
    }

    /// Each element takes at least `leastBytes` of the file.
    template <typename T, typename ReadElement>
    Result<MetaValue> readElements(uint64_t count, uint64_t leastBytes, ReadElement readElement) {
        // Before any memory is asked for.
        if (count > m_in.remaining() / leastBytes)
            return withId<ErrorId::DownloadCutShort>(
                fail(ErrorCode::Corrupt, "an array of {} elements in {} remaining bytes", count,
                     m_in.remaining()),
                m_file.size());
        std::vector<T> elements;
        elements.reserve(count);
        for (uint64_t i = 0; i < count; ++i) {
            INGLE_TRY_ASSIGN(T element, readElement());
            elements.push_back(std::move(element));
        }
        return MetaValue(std::move(elements));
    }

    Status checkKeys(uint64_t numTensors) {
        INGLE_TRY_ASSIGN(const uint32_t alignment,
                         m_model.metadata.u32Or("general.alignment", gguf::kDefaultAlignment));
        if (!std::has_single_bit(alignment))
            return fail(ErrorCode::Corrupt, "general.alignment is {}, which is not a power of two",
                        alignment);
        m_alignment = alignment;
        // Of a split model only the first part names the architecture.
        INGLE_TRY_ASSIGN(const uint32_t numParts, m_model.metadata.u32Or("split.count", 1));
        const std::string type = m_model.metadata.stringOr("general.type", "").value_or("");
        if (numTensors > 0 && numParts <= 1 && type != "imatrix")
            INGLE_TRY(m_model.metadata.string("general.architecture"));
        return {};
    }

    Result<TensorInfo> readTensorInfo() {
        TensorInfo info;
        INGLE_TRY_ASSIGN(info.name, readString());
        if (info.name.size() > gguf::kMaxTensorName)
            return fail(ErrorCode::Corrupt, "a tensor name of {} bytes; {} are allowed", info.name.size(),
                        gguf::kMaxTensorName);
        INGLE_TRY_ASSIGN(const auto numDims, m_in.read<uint32_t>());
        if (numDims < 1 || numDims > info.shape.dims.size())
            return fail(ErrorCode::Corrupt, "tensor '{}' has {} dimensions; 1 to {} are allowed",
                        shown(info.name), numDims, info.shape.dims.size());
        for (uint32_t i = 0; i < numDims; ++i) {
            INGLE_TRY_ASSIGN(info.shape.dims[i], m_in.read<uint64_t>());
        }
        INGLE_TRY_ASSIGN(const auto type, m_in.read<int32_t>());
        // Ids of tokens, such as "d2t" of heads with a vocabulary of their own.
        const bool isList = type == kI64 && numDims == 1;
        INGLE_TRY_ASSIGN(info.format,
                         isList ? Result<const quant::QuantFormat*>(nullptr) : findFormat(info.name, type));
        INGLE_TRY_ASSIGN(info.offset, m_in.read<uint64_t>());
        if (info.offset % m_alignment != 0)
            return fail(ErrorCode::Corrupt, "tensor '{}' at offset {} is not aligned to {}", shown(info.name),
                        info.offset, m_alignment);
        return info;
    }

    static Result<const quant::QuantFormat*> findFormat(const std::string& tensor, int32_t type) {
        const bool hasName = type >= 0 && static_cast<size_t>(type) < kTypeNames.size() &&
                             !kTypeNames[static_cast<size_t>(type)].empty();
        if (hasName) {
            if (const auto* format = quant::findFormat(quant::Quant{static_cast<uint16_t>(type)}))
                return format;
            const std::string_view name = kTypeNames[static_cast<size_t>(type)];
            return withId<ErrorId::UnknownBlockType>(
                fail(ErrorCode::Unsupported, "tensor '{}' is stored as {}, which is not supported",
                     shown(tensor), name),
                name);
        }
        return withId<ErrorId::UnknownBlockType>(
            fail(ErrorCode::Unsupported, "tensor '{}' has the unknown block type {}", shown(tensor), type),
            type);
    }

    /// How long a file with these tensors is; nothing where their sizes make no sense.
    std::optional<uint64_t> wholeBytes(const std::vector<TensorInfo>& infos) const {
        const uint64_t dataStart = gguf::alignUp(m_in.offset(), m_alignment);
        uint64_t whole = 0;
        for (const TensorInfo& info : infos) {
            const auto bytes = info.bytes();
            if (!bytes || info.offset > UINT64_MAX - dataStart ||
                *bytes > UINT64_MAX - dataStart - info.offset)
                return std::nullopt;
            whole = std::max(whole, dataStart + info.offset + *bytes);
        }
        return whole;
    }

    Status placeTensors(std::vector<TensorInfo> infos) {
        const uint64_t dataStart = gguf::alignUp(m_in.offset(), m_alignment);
        std::ranges::sort(infos, {}, &TensorInfo::offset);
        uint64_t previousEnd = 0;
        for (TensorInfo& info : infos) {
            if (info.offset < previousEnd)
                return fail(ErrorCode::Corrupt, "tensor '{}' at offset {} overlaps another", shown(info.name),
                            info.offset);
            if (info.offset > m_file.size())
                return fail(ErrorCode::Corrupt, "tensor '{}' at offset {} is outside the file ({} bytes)",
                            shown(info.name), info.offset, m_file.size());
            INGLE_TRY_ASSIGN(const uint64_t bytes,
                             info.isList() ? addList(info, dataStart + info.offset)
                                           : addTensor(m_model, m_file, std::move(info.name), info.shape,
                                                       *info.format, dataStart + info.offset));
            previousEnd = info.offset + bytes;
        }
        return {};
    }

    /// A list becomes a key of its name. Returns its size in bytes.
    Result<uint64_t> addList(const TensorInfo& info, uint64_t offset) {
        INGLE_TRY_ASSIGN(const uint64_t bytes, info.bytes());
        if (offset > m_file.size() || bytes > m_file.size() - offset)
            return fail(ErrorCode::Corrupt, "tensor '{}' of {} numbers is outside the file ({} bytes)",
                        shown(info.name), info.shape.dims[0], m_file.size());
        if (info.name.empty() || m_model.metadata.find(info.name))
            return fail(ErrorCode::Corrupt, "tensor '{}' is there already", shown(info.name));
        std::vector<int64_t> numbers(info.shape.dims[0]);
        std::memcpy(numbers.data(), m_file.data() + offset, bytes);
        m_model.metadata.set(info.name, std::move(numbers));
        return bytes;
    }

    std::span<const std::byte> m_file;
    io::ByteReader m_in;
    ModelFile m_model;
    uint64_t m_arrayElements = 0;
    uint64_t m_arrayTexts = 0;
    uint64_t m_alignment = gguf::kDefaultAlignment;
};

Match probe(std::span<const std::byte> file) {
    const bool matches = file.size() >= gguf::kMagic.size() &&
                         std::memcmp(file.data(), gguf::kMagic.data(), gguf::kMagic.size()) == 0;
    return matches ? Match::Magic : Match::No;
}

Result<ModelFile> read(std::span<const std::byte> file) {
    return GgufHeader(file).read();
}

Status readCompanions(ModelFile& model, const io::Source& source) {
    return gguf::joinShards(model, source, read);
}

}  // namespace

extern const FileReader reader{
    .name = "GGUF", .probe = probe, .read = read, .readCompanions = readCompanions};

}  // namespace ingle::formats::gguf_reader
