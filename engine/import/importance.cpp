#include "engine/import/importance.h"

#include <cmath>
#include <cstring>
#include <optional>

#include "engine/formats/gguf_writer.h"
#include "engine/formats/model_file.h"
#include "engine/io/byte_reader.h"

namespace ingle::importer {
namespace {

using Values = std::map<std::string, std::vector<float>, std::less<>>;

constexpr std::string_view kSums = ".in_sum2";
constexpr std::string_view kCounts = ".counts";

constexpr const char* kType = "imatrix";

/// A mean that is none says nothing.
float sound(float value) {
    return std::isfinite(value) && value > 0 ? value : 0;
}

Result<std::vector<float>> floatsOf(const tensor::Tensor& tensor) {
    if (tensor.format->id != quant::kF32)
        return fail(ErrorCode::Corrupt, "{} is {} and not F32", shown(tensor.name), tensor.format->name);
    std::vector<float> values(tensor.shape.numElems());
    std::memcpy(values.data(), tensor.data.data(), values.size() * sizeof(float));
    return values;
}

Result<Values> readGguf(const formats::ModelFile& file) {
    if (file.metadata.stringOr("general.type", "").value_or("") != kType)
        return fail(ErrorCode::InvalidArgument, "it is not an importance matrix");
    Values all;
    for (const auto& [name, tensor] : file.tensors) {
        if (!name.ends_with(kSums)) continue;
        const std::string matrix = name.substr(0, name.size() - kSums.size());
        const tensor::Tensor* counted = file.find(matrix + std::string(kCounts));
        if (!counted) return fail(ErrorCode::Corrupt, "{} has no counts", matrix);
        INGLE_TRY_ASSIGN(std::vector<float> values, floatsOf(tensor));
        INGLE_TRY_ASSIGN(const std::vector<float> counts, floatsOf(*counted));
        if (values.size() % counts.size() != 0)
            return fail(ErrorCode::Corrupt, "{} has {} sums and {} counts", matrix, values.size(),
                        counts.size());
        const size_t columns = values.size() / counts.size();
        for (size_t i = 0; i < values.size(); ++i) {
            // An expert that was never asked: all of it alike.
            const float count = counts[i / columns];
            values[i] = count > 0 ? sound(values[i] / count) : 1;
        }
        all.emplace(matrix, std::move(values));
    }
    return all;
}

/// Number of entries; of each its name, calls and values, which are sums of means over calls.
Result<Values> readBinary(std::span<const std::byte> bytes) {
    io::ByteReader reader(bytes);
    Values all;
    INGLE_TRY_ASSIGN(const auto count, reader.read<int32_t>());
    for (int32_t entry = 0; entry < count; ++entry) {
        INGLE_TRY_ASSIGN(const auto nameBytes, reader.read<int32_t>());
        if (nameBytes <= 0) return fail(ErrorCode::Corrupt, "entry {} has no name", entry);
        INGLE_TRY_ASSIGN(const auto name, reader.text(static_cast<uint64_t>(nameBytes)));
        INGLE_TRY_ASSIGN(const auto calls, reader.read<int32_t>());
        INGLE_TRY_ASSIGN(const auto number, reader.read<int32_t>());
        if (number <= 0) return fail(ErrorCode::Corrupt, "{} has {} values", shown(name), number);
        INGLE_TRY_ASSIGN(const auto raw, reader.take(static_cast<uint64_t>(number) * sizeof(float)));
        std::vector<float> values(static_cast<size_t>(number));
        std::memcpy(values.data(), raw.data(), raw.size());
        for (float& value : values) value = sound(calls > 0 ? value / static_cast<float>(calls) : value);
        all.insert_or_assign(std::string(name), std::move(values));
    }
    return all;
}

Result<Values> readFile(const io::Source& source) {
    constexpr std::string_view kMagic = "GGUF";
    INGLE_TRY_ASSIGN(const auto mapping, io::MappedFile::map(source));
    const auto bytes = mapping->bytes();
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                                std::min(bytes.size(), kMagic.size()));
    std::optional<formats::ModelFile> file;
    if (head == kMagic) {
        INGLE_TRY_ASSIGN(file, formats::openModelFile(source));
    }
    auto values = file ? readGguf(*file) : readBinary(bytes);
    if (values && values->empty()) values = fail(ErrorCode::Corrupt, "it says nothing of any matrix");
    if (!values) return fail(values.error().code, "{}: {}", source.path(), values.error().message);
    return values;
}

}  // namespace

Status writeImportance(const ColumnSums& sums, const std::string& text, const std::string& path) {
    formats::GgufWriter writer;
    writer.set("general.type", std::string(kType));
    writer.set("imatrix.datasets", std::vector<std::string>{text});
    writer.set("imatrix.chunk_count", int64_t{sums.numWindows});
    writer.set("imatrix.chunk_size", int64_t{sums.windowTokens});
    const quant::QuantFormat& f32 = *quant::findFormat(quant::kF32);
    const auto add = [&](std::string name, size_t columns, const auto& values) {
        const auto rows = [&values, columns](uint64_t first, std::span<std::byte> bytes) -> Status {
            auto from = values.begin() + static_cast<std::ptrdiff_t>(first * columns);
            for (size_t at = 0; at < bytes.size(); at += sizeof(float)) {
                const auto value = static_cast<float>(*from++);
                std::memcpy(bytes.data() + at, &value, sizeof value);
            }
            return {};
        };
        return writer.addTensor(std::move(name), tensor::Shape::of(columns, values.size() / columns), f32,
                                rows);
    };
    for (const auto& [name, matrix] : sums.matrices) {
        const size_t columns = matrix.squares.size() / matrix.counts.size();
        INGLE_TRY(add(name + std::string(kSums), columns, matrix.squares));
        INGLE_TRY(add(name + std::string(kCounts), 1, matrix.counts));
    }
    return writer.write(path);
}

Result<Importance> Importance::read(const std::string& path) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(auto values, readFile(source));
    Importance importance;
    importance.m_path = path;
    importance.m_values = std::move(values);
    return importance;
}

Result<bool> Importance::knows(const tensor::Tensor& tensor) const {
    const auto found = m_values.find(tensor.name);
    if (found == m_values.end()) return false;
    const uint64_t wanted = tensor.shape.rowElems() * tensor.shape.numMatrices();
    if (found->second.size() != wanted)
        return fail(ErrorCode::InvalidArgument,
                    "{}: is of another model: it has {} values for {}, which has {} columns", m_path,
                    found->second.size(), tensor.name, wanted);
    return true;
}

std::span<const float> Importance::ofRow(const tensor::Tensor& tensor, uint64_t row) const {
    const auto& values = m_values.find(tensor.name)->second;
    const size_t columns = tensor.shape.rowElems();
    const uint64_t rowsOfMatrix = tensor.shape.dims[1];
    return std::span(values).subspan(row / rowsOfMatrix * columns, columns);
}

}  // namespace ingle::importer
