/// What torch.save writes: since PyTorch 1.6 a zip archive of a pickle and one file for each storage, before
/// that five pickles in a row and the storages behind them. Sources: PyTorch's torch/serialization.py,
/// caffe2/serialize/inline_container.h; PKWARE's APPNOTE.TXT (ZIP64, sections 4.3.7 to 4.3.16).
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <unordered_map>

#include "engine/formats/checkpoint/pickle.h"
#include "engine/formats/checkpoint/weight_container.h"
#include "engine/formats/tensor_directory.h"
#include "ingle/error_ids.h"

namespace ingle::formats {
namespace {

using Kind = PickleNode::Kind;
using Bytes = std::span<const std::byte>;

constexpr std::array<uint8_t, 4> kZipMagic = {'P', 'K', 3, 4};
/// PROTO 2, and a number of ten bytes.
constexpr std::array<uint8_t, 15> kLegacyMagic = {0x80, 2,    0x8A, 10,   0x6C, 0xFC, 0x9C, 0x46,
                                                  0xF9, 0x20, 0x6A, 0xA8, 0x50, 0x19, '.'};

template <size_t N>
bool beginsWith(Bytes file, const std::array<uint8_t, N>& magic) {
    return file.size() >= N && std::memcmp(file.data(), magic.data(), N) == 0;
}

bool probePyTorch(Bytes file) {
    return beginsWith(file, kZipMagic) || beginsWith(file, kLegacyMagic);
}

template <typename T>
T fieldAt(Bytes bytes, size_t offset) {
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

/// The files of an archive, as they lie in it: none is packed.
class Archive {
  public:
    static Result<Archive> open(Bytes file) {
        Archive archive(file);
        INGLE_TRY(archive.readDirectory());
        return archive;
    }

    /// Nothing when there is none.
    std::optional<Bytes> find(std::string_view name) const {
        const auto found = m_files.find(std::string(name));
        return found == m_files.end() ? std::nullopt : std::optional(found->second);
    }
    /// The folder that all of it is in, known by the pickle.
    std::optional<std::string> folder() const {
        constexpr std::string_view kPickle = "/data.pkl";
        for (const auto& [name, bytes] : m_files)
            if (name.ends_with(kPickle)) return name.substr(0, name.size() - kPickle.size());
        return std::nullopt;
    }

  private:
    explicit Archive(Bytes file) : m_file(file) {}

    static constexpr size_t kEndBytes = 22;
    static constexpr size_t kEntryBytes = 46;
    static constexpr size_t kLocalBytes = 30;
    static constexpr size_t kLocatorBytes = 20;
    static constexpr size_t kEnd64Bytes = 56;

    struct Directory {
        uint64_t count, bytes, offset;
    };

    tl::unexpected<Error> wrong(std::string_view what) const {
        return fail(ErrorCode::Corrupt, "the archive {}", what);
    }
    bool fits(uint64_t offset, uint64_t bytes) const {
        return offset <= m_file.size() && bytes <= m_file.size() - offset;
    }

    Result<Directory> findDirectory() const {
        constexpr size_t kMaxComment = 0xFFFF;
        const size_t least =
            m_file.size() > kEndBytes + kMaxComment ? m_file.size() - kEndBytes - kMaxComment : 0;
        for (size_t at = m_file.size() < kEndBytes ? 0 : m_file.size() - kEndBytes + 1; at-- > least;) {
            if (fieldAt<uint32_t>(m_file, at) != 0x06054B50) continue;
            Directory found{fieldAt<uint16_t>(m_file, at + 10), fieldAt<uint32_t>(m_file, at + 12),
                            fieldAt<uint32_t>(m_file, at + 16)};
            const bool isLarge =
                at >= kLocatorBytes && fieldAt<uint32_t>(m_file, at - kLocatorBytes) == 0x07064B50;
            if (!isLarge) return found;
            const auto end = fieldAt<uint64_t>(m_file, at - kLocatorBytes + 8);
            if (!fits(end, kEnd64Bytes) || fieldAt<uint32_t>(m_file, end) != 0x06064B50)
                return wrong("says wrongly where its directory ends");
            return Directory{fieldAt<uint64_t>(m_file, end + 32), fieldAt<uint64_t>(m_file, end + 40),
                             fieldAt<uint64_t>(m_file, end + 48)};
        }
        return withId<ErrorId::DownloadCutShort>(
            fail(ErrorCode::Corrupt, "the archive of {} bytes has no end", m_file.size()), m_file.size());
    }

    Status readDirectory() {
        INGLE_TRY_ASSIGN(const Directory directory, findDirectory());
        if (!fits(directory.offset, directory.bytes) || directory.count > directory.bytes / kEntryBytes)
            return wrong("says wrongly where its directory is");
        uint64_t at = directory.offset;
        for (uint64_t i = 0; i < directory.count; ++i) {
            if (!fits(at, kEntryBytes) || fieldAt<uint32_t>(m_file, at) != 0x02014B50)
                return wrong("has a damaged directory");
            const uint64_t nameBytes = fieldAt<uint16_t>(m_file, at + 28);
            const uint64_t extraBytes = fieldAt<uint16_t>(m_file, at + 30);
            const uint64_t commentBytes = fieldAt<uint16_t>(m_file, at + 32);
            if (!fits(at + kEntryBytes, nameBytes + extraBytes + commentBytes))
                return wrong("has a damaged directory");
            INGLE_TRY(readEntry(m_file.subspan(at, kEntryBytes),
                                {reinterpret_cast<const char*>(m_file.data()) + at + kEntryBytes, nameBytes},
                                m_file.subspan(at + kEntryBytes + nameBytes, extraBytes)));
            at += kEntryBytes + nameBytes + extraBytes + commentBytes;
        }
        return {};
    }

    Status readEntry(Bytes entry, std::string_view name, Bytes extra) {
        const auto method = fieldAt<uint16_t>(entry, 10);
        uint64_t packed = fieldAt<uint32_t>(entry, 20), bytes = fieldAt<uint32_t>(entry, 24);
        uint64_t local = fieldAt<uint32_t>(entry, 42);
        // Numbers that do not fit stand behind, in this order.
        while (extra.size() >= 4) {
            const auto kind = fieldAt<uint16_t>(extra, 0);
            const size_t length = std::min<size_t>(fieldAt<uint16_t>(extra, 2), extra.size() - 4);
            Bytes fields = extra.subspan(4, length);
            for (uint64_t* number : {&bytes, &packed, &local}) {
                if (kind != 1 || *number != 0xFFFFFFFF || fields.size() < 8) continue;
                *number = fieldAt<uint64_t>(fields, 0);
                fields = fields.subspan(8);
            }
            extra = extra.subspan(4 + length);
        }
        if (method != 0 || packed != bytes)
            return fail(ErrorCode::Unsupported, "'{}' is packed in the archive, which PyTorch never does",
                        shown(name));
        if (!fits(local, kLocalBytes) || fieldAt<uint32_t>(m_file, local) != 0x04034B50)
            return wrong("says wrongly where its files are");
        const uint64_t begin = local + kLocalBytes + fieldAt<uint16_t>(m_file, local + 26) +
                               fieldAt<uint16_t>(m_file, local + 28);
        if (!fits(begin, bytes)) return wrong("says wrongly where its files are");
        if (m_files.size() == kMaxTensors) return wrong("has too many files");
        if (!m_files.try_emplace(std::string(name), m_file.subspan(begin, bytes)).second)
            return wrong("names a file twice");
        return {};
    }

    Bytes m_file;
    std::unordered_map<std::string, Bytes> m_files;
};

struct StorageType {
    std::string_view name;  ///< behind "torch"
    std::string_view type;
};
constexpr StorageType kStorageTypes[] = {
    {"FloatStorage", "F32"}, {"HalfStorage", "F16"}, {"BFloat16Storage", "BF16"}, {"DoubleStorage", "F64"},
    {"LongStorage", "I64"},  {"IntStorage", "I32"},  {"ShortStorage", "I16"},     {"CharStorage", "I8"},
    {"ByteStorage", "U8"},   {"BoolStorage", "BOOL"}};

/// Where the bytes of storages are.
class Storages {
  public:
    virtual ~Storages() = default;
    virtual std::optional<Bytes> find(std::string_view key) const = 0;
};

Result<std::string_view> typeOf(const Pickle& pickle, const PickleNode& storage) {
    const std::string_view global = pickle.node(storage.items[0]).text;  // "torch", a line's end, its name
    const std::string_view name = global.substr(global.find('\n') + 1);
    const auto* found = std::ranges::find(kStorageTypes, name, &StorageType::name);
    if (found != std::end(kStorageTypes)) return found->type;
    return fail(ErrorCode::Unsupported, "numbers of the type \"{}\" are not supported", shown(name));
}

Result<std::vector<uint64_t>> countsOf(const Pickle& pickle, const PickleNode& list) {
    std::vector<uint64_t> counts;
    for (const uint32_t item : list.items) {
        const PickleNode& number = pickle.node(item);
        if (number.kind != Kind::Integer || number.integer < 0)
            return fail(ErrorCode::Corrupt, "a size of a tensor is no number");
        counts.push_back(static_cast<uint64_t>(number.integer));
    }
    return counts;
}

/// Rows lie one behind the other, the last dimension contiguous.
bool isContiguous(std::span<const uint64_t> dims, std::span<const uint64_t> strides) {
    uint64_t step = 1;
    for (size_t i = dims.size(); i-- > 0;) {
        if (dims[i] != 1 && strides[i] != step) return false;
        step *= dims[i];
    }
    return true;
}

/// The same of these dimensions in another order, as transposed tensors have it.
bool isReordered(std::span<const uint64_t> dims, std::span<const uint64_t> strides) {
    std::vector<size_t> order(dims.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](size_t i) { return strides[i]; });
    std::vector<uint64_t> sortedDims, sortedStrides;
    for (const size_t i : order) {
        sortedDims.push_back(dims[i]);
        sortedStrides.push_back(strides[i]);
    }
    return isContiguous(sortedDims, sortedStrides);
}

Result<StoredTensor> tensorOf(const Pickle& pickle, const PickleNode& node, const Storages& storages) {
    const PickleNode& storage = pickle.node(node.items[0]);
    StoredTensor tensor;
    INGLE_TRY_ASSIGN(const auto type, typeOf(pickle, storage));
    tensor.type = type;
    INGLE_TRY_ASSIGN(tensor.dims, countsOf(pickle, pickle.node(node.items[2])));
    INGLE_TRY_ASSIGN(const auto strides, countsOf(pickle, pickle.node(node.items[3])));
    const auto bytes = storages.find(storage.text);
    if (!bytes) return fail(ErrorCode::Corrupt, "its numbers '{}' are not in the file", shown(storage.text));
    const uint64_t itemBytes = bitsOfType(type) / 8;
    const int64_t first = pickle.node(node.items[1]).integer;
    uint64_t count = 1;
    for (const uint64_t dim : tensor.dims) {
        if (dim > 0 && count > (uint64_t{1} << 58) / dim)
            return fail(ErrorCode::Corrupt, "its shape is too large");
        count *= dim;
    }
    if (strides.size() != tensor.dims.size() || first < 0)
        return fail(ErrorCode::Corrupt, "its place in its storage is not one");
    const uint64_t held = bytes->size() / itemBytes;
    if (static_cast<uint64_t>(first) > held || count > held - static_cast<uint64_t>(first))
        return fail(ErrorCode::Corrupt, "its {} numbers from {} on end past its storage of {}", count, first,
                    held);
    if (count > 0 && !isContiguous(tensor.dims, strides)) {
        if (!isReordered(tensor.dims, strides))
            return fail(ErrorCode::Unsupported, "its numbers do not lie one behind the other");
        tensor.strides = strides;
    }
    tensor.data = bytes->subspan(static_cast<uint64_t>(first) * itemBytes, count * itemBytes);
    return tensor;
}

/// The dictionary of tensors: the outermost, or one in it that training scripts name so.
const PickleNode* stateOf(const Pickle& pickle) {
    const PickleNode* root = &pickle.root();
    if (root->kind != Kind::Dictionary) return nullptr;
    for (size_t i = 0; i + 1 < root->items.size(); i += 2) {
        const PickleNode& value = pickle.node(root->items[i + 1]);
        const std::string_view key = pickle.node(root->items[i]).text;
        if (value.kind == Kind::Dictionary && (key == "state_dict" || key == "model" || key == "module"))
            return &value;
    }
    return root;
}

Result<std::vector<StoredTensor>> tensorsOf(const Pickle& pickle, const Storages& storages) {
    const PickleNode* state = stateOf(pickle);
    if (!state) return fail(ErrorCode::Unsupported, "it holds no dictionary of tensors");
    std::unordered_map<std::string_view, size_t> byName;
    std::vector<StoredTensor> tensors;
    for (size_t i = 0; i + 1 < state->items.size(); i += 2) {
        const PickleNode& key = pickle.node(state->items[i]);
        const PickleNode& value = pickle.node(state->items[i + 1]);
        if (value.kind != Kind::Tensor) continue;
        if (key.kind != Kind::Text || key.text.empty())
            return fail(ErrorCode::Corrupt, "a tensor has no name");
        if (tensors.size() == kMaxTensors)
            return fail(ErrorCode::Corrupt, "more than {} tensors", kMaxTensors);
        auto tensor = tensorOf(pickle, value, storages);
        if (!tensor)
            return happenedTo(fmt::format("tensor '{}'", shown(key.text)), std::move(tensor).error());
        tensor->name = key.text;
        if (!byName.try_emplace(key.text, tensors.size()).second)
            return fail(ErrorCode::Corrupt, "tensor '{}' occurs twice", shown(key.text));
        tensors.push_back(*std::move(tensor));
    }
    if (tensors.empty()) return fail(ErrorCode::Unsupported, "it holds no dictionary of tensors");
    return tensors;
}

class ArchivedStorages final : public Storages {
  public:
    ArchivedStorages(const Archive& archive, std::string folder)
        : m_archive(archive), m_folder(std::move(folder)) {}
    std::optional<Bytes> find(std::string_view key) const override {
        return m_archive.find(fmt::format("{}/data/{}", m_folder, key));
    }

  private:
    const Archive& m_archive;
    std::string m_folder;
};

Result<std::vector<StoredTensor>> readArchive(Bytes file) {
    INGLE_TRY_ASSIGN(const Archive archive, Archive::open(file));
    const auto folder = archive.folder();
    if (!folder) return fail(ErrorCode::Unsupported, "it is an archive, but none of PyTorch's tensors");
    if (const auto order = archive.find(*folder + "/byteorder");
        order && order->size() == 3 && std::memcmp(order->data(), "big", 3) == 0)
        return fail(ErrorCode::Unsupported, "its numbers begin with their highest byte");
    io::ByteReader in(*archive.find(*folder + "/data.pkl"));
    INGLE_TRY_ASSIGN(const Pickle pickle, Pickle::read(in));
    return tensorsOf(pickle, ArchivedStorages(archive, *folder));
}

class ListedStorages final : public Storages {
  public:
    std::unordered_map<std::string_view, Bytes> bytes;
    std::optional<Bytes> find(std::string_view key) const override {
        const auto found = bytes.find(key);
        return found == bytes.end() ? std::nullopt : std::optional(found->second);
    }
};

/// Bytes of a number, by the storages that the pickle names.
std::unordered_map<std::string_view, uint64_t> itemBytesOf(const Pickle& pickle) {
    std::unordered_map<std::string_view, uint64_t> sizes;
    const PickleNode* state = stateOf(pickle);
    for (size_t i = 1; state && i < state->items.size(); i += 2) {
        const PickleNode& tensor = pickle.node(state->items[i]);
        if (tensor.kind != Kind::Tensor) continue;
        const PickleNode& storage = pickle.node(tensor.items[0]);
        const auto type = typeOf(pickle, storage);
        sizes[storage.text] = type ? bitsOfType(*type) / 8 : 0;
    }
    return sizes;
}

/// A number, the version, facts of the machine, the dictionary, the keys of the storages in their order; then
/// each storage: u64 numbers, the numbers.
Result<std::vector<StoredTensor>> readLegacy(Bytes file) {
    io::ByteReader in(file);
    for (int i = 0; i < 3; ++i) INGLE_TRY(Pickle::read(in));
    INGLE_TRY_ASSIGN(const Pickle pickle, Pickle::read(in));
    INGLE_TRY_ASSIGN(const Pickle keys, Pickle::read(in));
    const auto itemBytes = itemBytesOf(pickle);
    ListedStorages storages;
    for (const uint32_t item : keys.root().items) {
        const std::string_view key = keys.node(item).text;
        const auto size = itemBytes.find(key);
        if (size == itemBytes.end() || size->second == 0)
            return fail(ErrorCode::Unsupported, "the numbers '{}' are of no tensor", shown(key));
        INGLE_TRY_ASSIGN(const auto count, in.read<uint64_t>());
        if (count > in.remaining() / size->second)
            return withId<ErrorId::DownloadCutShort>(
                fail(ErrorCode::Corrupt, "the numbers '{}' end past the end of the file ({} bytes)",
                     shown(key), file.size()),
                file.size());
        INGLE_TRY_ASSIGN(storages.bytes[key], in.take(count * size->second));
    }
    return tensorsOf(pickle, storages);
}

Result<std::vector<StoredTensor>> readPyTorch(Bytes file) {
    return beginsWith(file, kZipMagic) ? readArchive(file) : readLegacy(file);
}

}  // namespace

extern const WeightContainer kPyTorch;
const WeightContainer kPyTorch{.name = "PyTorch", .probe = probePyTorch, .read = readPyTorch};

}  // namespace ingle::formats
