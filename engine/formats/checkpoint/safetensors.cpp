/// safetensors: u64 length of the header, the header (JSON: name → type, shape, place), the data of all
/// tensors without gaps. Source: huggingface/safetensors, README.md ("Format") and safetensors/src/tensor.rs
/// (validation).
#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "engine/formats/checkpoint/json_walk.h"
#include "engine/formats/checkpoint/weight_container.h"
#include "engine/formats/tensor_directory.h"
#include "ingle/error_ids.h"

namespace ingle::formats {
namespace {

constexpr uint64_t kLengthBytes = 8;
/// As the reference implementation has it.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr size_t kMaxDims = 16;

struct TypeBits {
    std::string_view type;
    uint32_t bits;
};
constexpr TypeBits kBitsOfTypes[] = {
    {"F32", 32},    {"F16", 16},        {"BF16", 16},       {"F64", 64},    {"I8", 8},   {"U8", 8},
    {"I16", 16},    {"U16", 16},        {"I32", 32},        {"U32", 32},    {"I64", 64}, {"U64", 64},
    {"BOOL", 8},    {"F8_E4M3", 8},     {"F8_E5M2", 8},     {"F8_E8M0", 8}, {"F4", 4},   {"F6_E2M3", 6},
    {"F6_E3M2", 6}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"C64", 64}};

uint64_t lengthOf(std::span<const std::byte> file) {
    uint64_t length = 0;
    std::memcpy(&length, file.data(), sizeof length);
    return length;
}

bool probe(std::span<const std::byte> file) {
    if (file.size() < kLengthBytes + 2 || file[kLengthBytes] != std::byte{'{'}) return false;
    return lengthOf(file) >= 2 && lengthOf(file) <= kMaxHeaderBytes;
}

/// A tensor of the header, before its data is looked for.
struct Entry {
    std::string name;
    std::optional<std::string> type;
    std::vector<uint64_t> dims;
    std::vector<uint64_t> offsets;  ///< begin and end

    tl::unexpected<Error> wrong(std::string_view what) const {
        return fail(ErrorCode::Corrupt, "tensor '{}': {}", shown(name), what);
    }
};

class Header final : public JsonVisitor {
  public:
    std::vector<Entry> entries;

    Status key(const JsonPath& path) override {
        if (path.size() != 1) return {};
        m_isTensor = path[0].key != "__metadata__";
        if (!m_isTensor) return {};
        if (path[0].key.empty()) return fail(ErrorCode::Corrupt, "a tensor has no name");
        if (entries.size() == kMaxTensors)
            return fail(ErrorCode::Corrupt, "more than {} tensors", kMaxTensors);
        if (!m_names.insert(path[0].key).second)
            return fail(ErrorCode::Corrupt, "tensor '{}' occurs twice", shown(path[0].key));
        entries.push_back({.name = path[0].key});
        return {};
    }

    Status value(const JsonPath& path, const JsonValue& value) override {
        if (!m_isTensor) return {};
        Entry& entry = entries.back();
        const std::string_view field = path.size() > 1 ? std::string_view(path[1].key) : "";
        if (path.size() == 2 && field == "dtype" && std::holds_alternative<std::string_view>(value)) {
            if (entry.type) return entry.wrong("it has two types");
            entry.type = std::get<std::string_view>(value);
            return {};
        }
        const auto* number = std::get_if<int64_t>(&value);
        const bool isList =
            path.size() == 3 && path[2].isIndex && (field == "shape" || field == "data_offsets");
        if (!isList || !number || *number < 0) return entry.wrong("its description is not one of a tensor");
        auto& list = field == "shape" ? entry.dims : entry.offsets;
        if (list.size() == kMaxDims || (field != "shape" && list.size() == 2))
            return entry.wrong("its description is too long");
        list.push_back(static_cast<uint64_t>(*number));
        return {};
    }

  private:
    std::set<std::string, std::less<>> m_names;
    bool m_isTensor = false;
};

/// What type and shape say it takes; nothing for a type whose size nobody knows. Errors: Corrupt.
Result<std::optional<uint64_t>> bytesOf(const Entry& entry) {
    const uint32_t bits = bitsOfType(*entry.type);
    if (bits == 0) return std::nullopt;
    uint64_t total = bits;
    const bool isEmpty = std::ranges::find(entry.dims, 0U) != entry.dims.end();
    for (const uint64_t dim : isEmpty ? std::vector<uint64_t>{0} : entry.dims) {
        if (dim > 0 && total > (uint64_t{1} << 62) / dim) return entry.wrong("its shape is too large");
        total *= dim;
    }
    if (total % 8 != 0) return entry.wrong("its data is not whole bytes");
    return total / 8;
}

Result<std::vector<StoredTensor>> read(std::span<const std::byte> file) {
    const uint64_t length = lengthOf(file);
    if (length > file.size() - kLengthBytes)
        return withId<ErrorId::DownloadCutShort>(
            fail(ErrorCode::Corrupt, "the header of {} bytes ends past the end of the file ({} bytes)",
                 length, file.size()),
            file.size());
    const std::string_view text(reinterpret_cast<const char*>(file.data()) + kLengthBytes, length);
    Header header;
    if (Status status = walkJson(text, header); !status) return happenedTo("the header", status.error());

    const auto data = file.subspan(kLengthBytes + length);
    for (const Entry& entry : header.entries) {
        if (!entry.type) return entry.wrong("it has no type");
        if (entry.offsets.size() != 2 || entry.offsets[0] > entry.offsets[1])
            return entry.wrong("its place in the file is not stated");
    }
    const auto begin = [](const Entry& entry) { return std::pair(entry.offsets[0], entry.offsets[1]); };
    std::ranges::stable_sort(header.entries, {}, begin);
    std::vector<StoredTensor> tensors;
    uint64_t end = 0;
    for (Entry& entry : header.entries) {
        if (entry.offsets[0] < end) return entry.wrong("its data overlaps that of another tensor");
        if (entry.offsets[0] > end) return entry.wrong("bytes before its data belong to no tensor");
        end = entry.offsets[1];
        INGLE_TRY_ASSIGN(const auto bytes, bytesOf(entry));
        if (bytes && *bytes != end - entry.offsets[0])
            return fail(ErrorCode::Corrupt, "tensor '{}' takes {} bytes, its shape says {}",
                        shown(entry.name), end - entry.offsets[0], *bytes);
        if (end > data.size())
            return withId<ErrorId::DownloadIncomplete>(
                fail(ErrorCode::Corrupt, "tensor '{}' ends past the end of the file ({} bytes)",
                     shown(entry.name), file.size()),
                file.size(), kLengthBytes + length + header.entries.back().offsets[1]);
        tensors.push_back({std::move(entry.name), std::move(*entry.type), std::move(entry.dims),
                           data.subspan(entry.offsets[0], end - entry.offsets[0])});
    }
    if (end != data.size())
        return fail(ErrorCode::Corrupt, "{} bytes behind the last tensor belong to none", data.size() - end);
    return tensors;
}

}  // namespace

extern const WeightContainer kSafetensors{.name = "safetensors", .probe = probe, .read = read};

uint32_t bitsOfType(std::string_view type) {
    const auto* found = std::ranges::find(kBitsOfTypes, type, &TypeBits::type);
    return found == std::end(kBitsOfTypes) ? 0 : found->bits;
}

const WeightContainer* findContainer(std::span<const std::byte> file) {
    for (const WeightContainer* container : {&kSafetensors, &kPyTorch})
        if (container->probe(file)) return container;
    return nullptr;
}

}  // namespace ingle::formats
