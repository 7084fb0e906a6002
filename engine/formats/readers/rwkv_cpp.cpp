// rwkv.cpp checkpoints, versions 100 and 101. Six u32: magic, version, n_vocab, n_embed, n_layer, data type;
// then until the end of the file: u32 dim count, u32 name length, u32 data type, u32 dims (contiguous first),
// name, data without padding. Source: rwkv.cpp's rwkv_file_format.inc. The converter of such files has
// already applied the transforms of time_decay and time_first.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "engine/formats/file_reader.h"
#include "engine/formats/rwkv_names.h"
#include "engine/formats/rwkv_vocabulary.h"
#include "engine/formats/tensor_directory.h"
#include "engine/io/byte_reader.h"
#include "ingle/error_ids.h"

namespace ingle::formats::rwkv_cpp_reader {
namespace {

constexpr uint32_t kMagic = 0x67676D66;
constexpr uint32_t kMaxNameBytes = 256;

/// data_type → name of the block format; the numbers of GGUF are different ones. Empty: removed from the
/// format.
constexpr std::array<std::string_view, 17> kTypeNames = {"F32",  "F16",  "Q4_0", "Q4_1", "",     "",
                                                         "",     "Q5_0", "Q5_1", "Q8_0", "Q8_1", "Q2_K",
                                                         "Q3_K", "Q4_K", "Q5_K", "Q6_K", "Q8_K"};
constexpr uint32_t kFirstQuantizedType = 2;

struct Header {
    uint32_t version, numVocab, numEmbed, numLayers, dataType;
};

Result<Header> readHeader(io::ByteReader& in) {
    Header header{};
    INGLE_TRY(in.read<uint32_t>());  // the magic number, which the probe has seen
    for (uint32_t* field :
         {&header.version, &header.numVocab, &header.numEmbed, &header.numLayers, &header.dataType}) {
        INGLE_TRY_ASSIGN(*field, in.read<uint32_t>());
    }
    if (header.version != 100 && header.version != 101)
        return withId<ErrorId::UnknownVersion>(
            fail(ErrorCode::Unsupported, "rwkv.cpp file version {} is not supported (100 and 101 are)",
                 header.version),
            "rwkv.cpp", header.version);
    if (header.version == 100 && header.dataType >= kFirstQuantizedType)
        return fail(ErrorCode::Unsupported,
                    "a quantized rwkv.cpp file of version 100 has an outdated block layout");
    return header;
}

Result<const quant::QuantFormat*> findFormat(std::string_view tensor, uint32_t type) {
    if (type >= kTypeNames.size() || kTypeNames[type].empty())
        return withId<ErrorId::UnknownBlockType>(
            fail(ErrorCode::Unsupported, "tensor '{}' has the unknown data type {}", shown(tensor), type),
            type);
    if (const auto* format = quant::findFormat(kTypeNames[type])) return format;
    return withId<ErrorId::UnknownBlockType>(
        fail(ErrorCode::Unsupported, "tensor '{}' is stored as {}, which is not supported", shown(tensor),
             kTypeNames[type]),
        kTypeNames[type]);
}

Status readTensor(std::span<const std::byte> file, io::ByteReader& in, ModelFile& model) {
    INGLE_TRY_ASSIGN(const auto numDims, in.read<uint32_t>());
    INGLE_TRY_ASSIGN(const auto nameBytes, in.read<uint32_t>());
    INGLE_TRY_ASSIGN(const auto type, in.read<uint32_t>());
    if (numDims < 1 || numDims > 3)
        return fail(ErrorCode::Corrupt, "a tensor before byte {} has {} dimensions; 1 to 3 are allowed",
                    in.offset(), numDims);
    tensor::Shape shape;
    for (uint32_t i = 0; i < numDims; ++i) {
        INGLE_TRY_ASSIGN(shape.dims[i], in.read<uint32_t>());
    }
    if (nameBytes > kMaxNameBytes)
        return fail(ErrorCode::Corrupt, "a tensor name of {} bytes at byte {}", nameBytes, in.offset());
    INGLE_TRY_ASSIGN(const auto name, in.text(nameBytes));
    INGLE_TRY_ASSIGN(const auto* format, findFormat(name, type));
    INGLE_TRY_ASSIGN(const uint64_t bytes,
                     addTensor(model, file, rwkvName(name), shape, *format, in.offset()));
    INGLE_TRY(in.take(bytes));
    return {};
}

Match probe(std::span<const std::byte> file) {
    uint32_t magic = 0;
    if (file.size() < sizeof magic) return Match::No;
    std::memcpy(&magic, file.data(), sizeof magic);
    return magic == kMagic ? Match::Magic : Match::No;
}

Result<ModelFile> read(std::span<const std::byte> file) {
    io::ByteReader in(file);
    INGLE_TRY_ASSIGN(const Header header, readHeader(in));
    ModelFile model;
    model.format = "rwkv.cpp";
    while (in.remaining() > 0) {
        Status status = readTensor(file, in, model);
        if (!status && in.ranOut())
            return withId<ErrorId::DownloadCutShort>(tl::unexpected(std::move(status).error()), file.size());
        INGLE_TRY(std::move(status));
    }
    if (header.numLayers == 0 || header.numLayers > model.tensors.size())
        return fail(ErrorCode::Corrupt, "the header says {} layers, the file holds {} tensors",
                    header.numLayers, model.tensors.size());
    INGLE_TRY(setRwkvKeys(model, {header.numVocab, header.numEmbed, header.numLayers}));
    return model;
}

}  // namespace

extern const FileReader reader{
    .name = "rwkv.cpp", .probe = probe, .read = read, .readCompanions = addRwkvVocabulary};

}  // namespace ingle::formats::rwkv_cpp_reader
