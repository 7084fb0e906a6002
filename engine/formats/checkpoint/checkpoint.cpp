#include "engine/formats/checkpoint/checkpoint.h"

#include <algorithm>
#include <charconv>

#include "engine/formats/checkpoint/json_walk.h"
#include "engine/formats/kind.h"
#include "ingle/error_ids.h"

namespace ingle::formats {
namespace {

/// Vocabularies with their merges take tens of MiB.
constexpr uint64_t kMaxJsonBytes = uint64_t{1} << 28;
constexpr size_t kMaxParts = 4096;
constexpr std::string_view kIndexSuffix = ".index.json";

std::string_view textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// "weight_map": tensor → file.
class Index final : public JsonVisitor {
  public:
    std::map<std::string, std::string, std::less<>> fileOf;
    std::vector<std::string> files;  ///< each once, in the order of their names

    Status key(const JsonPath& path) override {
        m_isMap |= path.size() == 1 && path[0].key == "weight_map";
        return {};
    }
    Status value(const JsonPath& path, const JsonValue& value) override {
        if (path[0].key != "weight_map") return {};
        const auto* file = std::get_if<std::string_view>(&value);
        if (path.size() != 2 || path[1].isIndex || !file)
            return fail(ErrorCode::Corrupt, "its \"weight_map\" does not say in which file each tensor is");
        if (!fileOf.try_emplace(path[1].key, *file).second)
            return fail(ErrorCode::Corrupt, "tensor '{}' occurs twice", shown(path[1].key));
        const auto place = std::ranges::lower_bound(files, *file);
        if (place != files.end() && *place == *file) return {};
        if (files.size() == kMaxParts) return fail(ErrorCode::Corrupt, "more than {} parts", kMaxParts);
        files.emplace(place, *file);
        return {};
    }
    bool isIndex() const { return m_isMap && !files.empty(); }

  private:
    bool m_isMap = false;
};

Result<Index> readIndex(const io::Source& source, std::span<const std::byte> bytes) {
    Index index;
    if (Status status = walkJson(textOf(bytes), index); !status)
        return happenedTo(source.path(), status.error());
    return index;
}

/// The number of parts that the name of one states: 4 for "model-00002-of-00004.safetensors".
struct PartName {
    std::string before, behind;
    uint32_t count = 0;

    std::string part(uint32_t index) const {
        return fmt::format("{}-{:05}-of-{:05}{}", before, index + 1, count, behind);
    }
};

std::optional<PartName> partName(std::string_view name) {
    constexpr std::string_view kShape = "-00001-of-00004";
    const size_t of = name.rfind("-of-");
    if (of == std::string_view::npos || of < 6 || of + 9 > name.size() || name[of - 6] != '-')
        return std::nullopt;
    const auto number = [&](size_t at) {
        uint32_t value = 0;
        const char* begin = name.data() + at;
        const auto [end, error] = std::from_chars(begin, begin + 5, value);
        return error == std::errc{} && end == begin + 5 ? value : 0;
    };
    const uint32_t index = number(of - 5), count = number(of + 4);
    if (index == 0 || index > count || count > kMaxParts) return std::nullopt;
    return PartName{std::string(name.substr(0, of - 6)), std::string(name.substr(of - 6 + kShape.size())),
                    count};
}

/// Reads a part's tensors into the checkpoint.
Status addPart(Checkpoint& checkpoint, const io::Source& source,
               std::shared_ptr<const io::MappedFile> mapping) {
    if (auto refusal = refusalOf(Sighting{source, mapping->bytes()}))
        return tl::unexpected(*std::move(refusal));
    const WeightContainer* container = findContainer(mapping->bytes());
    if (!container)
        return withId<ErrorId::NotAModel>(
            fail(ErrorCode::Corrupt, "{}: holds no weights of a known form", source.path()), source.path());
    auto tensors = container->read(mapping->bytes());
    if (!tensors) return happenedTo(source.path(), std::move(tensors).error());
    checkpoint.container = container->name;
    for (StoredTensor& tensor : *tensors) {
        const std::string name = tensor.name;
        if (!checkpoint.tensors.try_emplace(name, std::move(tensor)).second)
            return fail(ErrorCode::Corrupt, "{}: tensor '{}' is in another part of the model as well",
                        source.path(), shown(name));
    }
    checkpoint.sources.push_back(source);
    checkpoint.mappings.push_back(std::move(mapping));
    return {};
}

/// Opens the named files beside `source`.
Status addParts(Checkpoint& checkpoint, const io::Source& source, std::span<const std::string> files) {
    std::vector<std::string> missing;
    std::vector<io::Source> parts;
    for (const std::string& file : files) {
        INGLE_TRY_ASSIGN(auto part, source.findSibling(file));
        if (part)
            parts.push_back(*std::move(part));
        else
            missing.push_back(file);
    }
    if (!missing.empty()) {
        constexpr size_t kNamed = 3;
        std::string names;
        for (const std::string& name : std::span(missing).first(std::min(kNamed, missing.size())))
            names += fmt::format("{}{}", names.empty() ? "" : ", ", shown(name));
        return withId<ErrorId::PartsMissing>(
            fail(ErrorCode::Io, "{}: {} of {} parts of the model {} missing: {}{}", source.path(),
                 missing.size(), files.size(), missing.size() == 1 ? "is" : "are", names,
                 missing.size() > kNamed ? ", …" : ""),
            source.path(), missing.size(), files.size());
    }
    for (const io::Source& part : parts) {
        INGLE_TRY_ASSIGN(auto mapping, io::MappedFile::map(part));
        INGLE_TRY(addPart(checkpoint, part, std::move(mapping)));
    }
    return {};
}

Result<Checkpoint> openIndexed(const io::Source& source, std::shared_ptr<const io::MappedFile> mapping,
                               const Index& index) {
    Checkpoint checkpoint;
    checkpoint.sources.push_back(source);
    checkpoint.mappings.push_back(std::move(mapping));
    INGLE_TRY(addParts(checkpoint, source, index.files));
    for (const auto& [tensor, file] : index.fileOf) {
        if (!checkpoint.tensors.contains(tensor))
            return fail(ErrorCode::Corrupt, "{}: tensor '{}' is not in {}, where it should be", source.path(),
                        shown(tensor), shown(file));
    }
    return checkpoint;
}

/// The index beside a part, if it names that part.
Result<std::optional<Checkpoint>> openByIndexBeside(const io::Source& source, const PartName& name) {
    INGLE_TRY_ASSIGN(const auto beside,
                     source.findSibling(fmt::format("{}{}{}", name.before, name.behind, kIndexSuffix)));
    if (!beside) return std::nullopt;
    INGLE_TRY_ASSIGN(auto mapping, io::MappedFile::map(*beside));
    INGLE_TRY_ASSIGN(const Index index, readIndex(*beside, mapping->bytes()));
    if (std::ranges::find(index.files, source.name()) == index.files.end()) return std::nullopt;
    INGLE_TRY_ASSIGN(Checkpoint checkpoint, openIndexed(*beside, std::move(mapping), index));
    return checkpoint;
}

}  // namespace

bool isOfCheckpoint(std::span<const std::byte> file) {
    if (findContainer(file)) return true;
    if (file.size() > kMaxJsonBytes || !looksLikeJson(textOf(file.first(std::min<size_t>(file.size(), 64)))))
        return false;
    const std::string_view text = textOf(file);
    return text.find("\"weight_map\"") != text.npos || text.find("\"architectures\"") != text.npos ||
           text.find("\"model_type\"") != text.npos;
}

Result<Checkpoint> openCheckpoint(const io::Source& source, std::shared_ptr<const io::MappedFile> mapping) {
    if (looksLikeJson(textOf(mapping->bytes()))) {
        INGLE_TRY_ASSIGN(const Index index, readIndex(source, mapping->bytes()));
        if (index.isIndex()) return openIndexed(source, std::move(mapping), index);
        for (const std::string_view name : kLeads) {
            INGLE_TRY_ASSIGN(const auto lead, source.findSibling(name));
            if (!lead || lead->name() == source.name()) continue;
            INGLE_TRY_ASSIGN(auto leadMapping, io::MappedFile::map(*lead));
            if (name.ends_with(kIndexSuffix)) {
                INGLE_TRY_ASSIGN(const Index of, readIndex(*lead, leadMapping->bytes()));
                if (of.isIndex()) return openIndexed(*lead, std::move(leadMapping), of);
            } else {
                Checkpoint checkpoint;
                INGLE_TRY(addPart(checkpoint, *lead, std::move(leadMapping)));
                return checkpoint;
            }
        }
        return withId<ErrorId::NotAModel>(
            fail(ErrorCode::Unsupported, "{}: describes a model whose weights are not beside it",
                 source.path()),
            source.path());
    }
    if (const auto name = partName(source.name())) {
        INGLE_TRY_ASSIGN(auto whole, openByIndexBeside(source, *name));
        if (whole) return *std::move(whole);
        if (name->count > 1) {
            std::vector<std::string> files;
            for (uint32_t index = 0; index < name->count; ++index) files.push_back(name->part(index));
            Checkpoint checkpoint;
            INGLE_TRY(addParts(checkpoint, source, files));
            return checkpoint;
        }
    }
    Checkpoint checkpoint;
    INGLE_TRY(addPart(checkpoint, source, std::move(mapping)));
    return checkpoint;
}

Result<std::optional<std::string_view>> findText(Checkpoint& checkpoint, const io::Source& source,
                                                 std::string_view name) {
    INGLE_TRY_ASSIGN(auto file, source.findSibling(name));
    if (!file) return std::nullopt;
    for (size_t i = 0; i < checkpoint.sources.size(); ++i) {
        if (checkpoint.sources[i].path() == file->path()) return textOf(checkpoint.mappings[i]->bytes());
    }
    INGLE_TRY_ASSIGN(auto mapping, io::MappedFile::map(*file));
    if (mapping->bytes().size() > kMaxJsonBytes)
        return fail(ErrorCode::Corrupt, "{}: {} bytes are too many for such a file", file->path(),
                    mapping->bytes().size());
    const std::string_view text = textOf(mapping->bytes());
    checkpoint.sources.push_back(*std::move(file));
    checkpoint.mappings.push_back(std::move(mapping));
    return text;
}

}  // namespace ingle::formats
