#include "engine/formats/model_file.h"

#include <algorithm>

#include "engine/base/thread_pool.h"
#include "engine/formats/file_reader.h"
#include "engine/formats/kind.h"
#include "ingle/error_ids.h"

namespace ingle::formats {
namespace {

/// With what makes the next one begin at a cache line.
uint64_t paddedBytes(const tensor::Tensor& tensor) {
    constexpr uint64_t kLine = base::Buffer::kAlignment;
    return (tensor.bytes() + kLine - 1) / kLine * kLine;
}

/// Rows that lie in columns share the cache lines that so many take.
constexpr size_t kRowsAtATime = 64;

const FileReader* chooseReader(std::span<const std::byte> file) {
    const FileReader* best = nullptr;
    Match bestMatch = Match::No;
    for (const FileReader* reader : allReaders()) {
        const Match match = reader->probe(file);
        if (match <= bestMatch) continue;
        best = reader;
        bestMatch = match;
    }
    return best;
}

}  // namespace

const tensor::Tensor* ModelFile::find(std::string_view name) const {
    const auto it = tensors.find(name);
    return it == tensors.end() ? nullptr : &it->second;
}

uint64_t ModelFile::fileBytes() const {
    uint64_t bytes = 0;
    for (const auto& mapping : mappings) bytes += mapping->bytes().size();
    return bytes;
}

uint64_t ModelFile::expandedBytes() const {
    uint64_t bytes = 0;
    for (const auto& [name, tensor] : tensors) bytes += tensor.decoder || tensor.table ? tensor.bytes() : 0;
    return bytes;
}

std::vector<std::span<const std::byte>> ModelFile::readOnce() const {
    std::vector<std::span<const std::byte>> stored;
    for (const auto& [name, tensor] : tensors)
        if (tensor.decoder) tensor.decoder->addStored(stored);
    std::ranges::sort(stored, {}, [](const auto& bytes) { return std::pair(bytes.data(), bytes.size()); });
    const auto beginTogether = [](const auto& a, const auto& b) { return a.data() == b.data(); };
    stored.erase(std::unique(stored.begin(), stored.end(), beginTogether), stored.end());
    return stored;
}

Status ModelFile::expand(uint32_t numThreads) {
    const auto isWanted = [](const tensor::Tensor& tensor) {
        return (tensor.decoder || tensor.table) && tensor.data.empty();
    };
    uint64_t total = 0;
    for (const auto& [name, tensor] : tensors) total += isWanted(tensor) ? paddedBytes(tensor) : 0;
    if (total == 0) return {};
    // In one piece, so that large pages hold them.
    INGLE_TRY_ASSIGN(base::Buffer buffer, base::Buffer::allocate(total));
    base::ThreadPool threads(numThreads);
    std::byte* next = buffer.data();
    for (auto& entry : tensors) {
        tensor::Tensor& tensor = entry.second;
        if (!isWanted(tensor)) continue;
        const uint64_t rowBytes = tensor.rowBytes();
        auto make = [&](size_t begin, size_t end, uint32_t) {
            std::byte* out = next + begin * rowBytes;
            if (tensor.decoder) return tensor.decoder->decode(begin, end - begin, out);
            for (size_t row = begin; row < end; ++row, out += rowBytes)
                std::copy_n(tensor.row(row), rowBytes, out);
        };
        threads.parallelFor(tensor.shape.numRows(), kRowsAtATime, make);
        tensor.data = {next, tensor.bytes()};
        next += paddedBytes(tensor);
        if (!tensor.decoder) continue;
        std::vector<std::span<const std::byte>> stored;
        tensor.decoder->addStored(stored);
        for (const auto bytes : stored) io::MappedFile::letGo(bytes);
    }
    // The system reads some pages around those that are asked for: of tensors that were done already, too.
    for (const auto bytes : readOnce()) io::MappedFile::letGo(bytes);
    io::useLargePages({buffer.data(), buffer.size()});
    buffers.push_back(std::move(buffer));
    return {};
}

namespace {

/// Entries of a folder that are looked at.
constexpr size_t kMaxNames = 10'000;

/// A GGUF file that is a model of its own: neither a part behind the first nor what belongs to another.
bool isModelName(std::string_view name) {
    const size_t of = name.rfind("-of-");
    const bool isLaterPart = of != name.npos && of >= 5 && name.substr(of - 5, 5) != "00001";
    return name.ends_with(".gguf") && !isLaterPart && name.find("mmproj") == name.npos;
}

Result<ModelFile> openFile(const io::Source& source, ModelPart part) {
    INGLE_TRY_ASSIGN(auto mapping, io::MappedFile::map(source));
    const std::string& path = source.path();
    if (auto refusal = refusalOf(Sighting{source, mapping->bytes()}))
        return tl::unexpected(*std::move(refusal));
    const FileReader* reader = chooseReader(mapping->bytes());
    if (!reader)
        return withId<ErrorId::NotAModel>(
            fail(ErrorCode::Unsupported, "{}: not a model file of a known format", path), path);
    if (part == ModelPart::Sight && reader->openSight) return reader->openSight(source, std::move(mapping));
    if (reader->open) return reader->open(source, std::move(mapping));
    auto model = reader->read(mapping->bytes());
    if (!model) return happenedTo(path, std::move(model).error());
    model->path = path;
    model->sources.push_back(source);
    model->mappings.push_back(std::move(mapping));
    if (reader->readCompanions) INGLE_TRY(reader->readCompanions(*model, source));
    return model;
}

/// Of the cache of huggingface_hub, models--owner--name, the folder of the revision that was got last, or
/// nothing: refs/main names it, and snapshots holds it. Source: huggingface_hub, "Understand caching".
Result<std::optional<io::Source>> cachedRevision(const io::Source& folder) {
    if (!folder.name().starts_with("models--")) return std::nullopt;
    INGLE_TRY_ASSIGN(const auto snapshots, folder.findSibling("snapshots"));
    if (!snapshots || !snapshots->isFolder()) return std::nullopt;
    INGLE_TRY_ASSIGN(const auto refs, folder.findSibling("refs"));
    if (refs && refs->isFolder()) {
        INGLE_TRY_ASSIGN(const auto main, refs->findSibling("main"));
        if (main && !main->isFolder()) {
            INGLE_TRY_ASSIGN(const auto mapping, io::MappedFile::map(*main));
            constexpr size_t kMaxRevision = 64;
            std::string revision(reinterpret_cast<const char*>(mapping->bytes().data()),
                                 std::min(mapping->bytes().size(), kMaxRevision));
            revision = revision.substr(0, revision.find_first_of("\r\n"));
            const bool isName = !revision.empty() && revision.find('/') == revision.npos;
            if (isName && revision != "." && revision != "..") return snapshots->findSibling(revision);
        }
    }
    INGLE_TRY_ASSIGN(const auto revisions, snapshots->names(kMaxNames));
    if (revisions.size() != 1) return std::nullopt;
    return snapshots->findSibling(revisions.front());
}

/// The names in a folder of GGUF files that are models of their own.
Result<std::vector<std::string>> modelsIn(const io::Source& folder) {
    INGLE_TRY_ASSIGN(std::vector<std::string> names, folder.names(kMaxNames));
    std::erase_if(names, [](const std::string& name) { return !isModelName(name); });
    return names;
}

/// The weights of a folder that has a config.json and calls them as nobody else does: the first of its parts.
Result<std::optional<io::Source>> otherWeights(const io::Source& folder) {
    INGLE_TRY_ASSIGN(const auto config, folder.findSibling("config.json"));
    if (!config) return std::nullopt;
    INGLE_TRY_ASSIGN(const std::vector<std::string> names, folder.names(kMaxNames));
    const auto weights = [](const std::string& name) {
        return name.ends_with(".safetensors") && !name.starts_with("adapter_") &&
               (name.find("-of-") == name.npos || name.find("-00001-of-") != name.npos);
    };
    if (std::ranges::count_if(names, weights) != 1) return std::nullopt;
    return folder.findSibling(*std::ranges::find_if(names, weights));
}

/// The file of a folder that is opened for all of it: the first there is, or its one GGUF file, which may lie
/// one folder down.
Result<ModelFile> openFolder(const io::Source& folder, ModelPart part) {
    INGLE_TRY_ASSIGN(const auto revision, cachedRevision(folder));
    if (revision && revision->isFolder()) return openFolder(*revision, part);
    if (auto refusal = refusalOf(Sighting{folder, {}})) return tl::unexpected(*std::move(refusal));
    for (const FileReader* reader : allReaders()) {
        for (const std::string_view name : reader->leads) {
            INGLE_TRY_ASSIGN(const auto lead, folder.findSibling(name));
            if (!lead) continue;
            INGLE_TRY_ASSIGN(ModelFile model, openFile(*lead, part));
            model.path = folder.path();
            return model;
        }
    }
    std::vector<io::Source> models;
    const auto look = [&](const io::Source& in) -> Status {
        INGLE_TRY_ASSIGN(const auto names, modelsIn(in));
        for (const std::string& name : names) {
            INGLE_TRY_ASSIGN(const auto model, in.findSibling(name));
            if (model && !model->isFolder()) models.push_back(*model);
        }
        return {};
    };
    INGLE_TRY(look(folder));
    if (models.empty()) {
        INGLE_TRY_ASSIGN(const auto weights, otherWeights(folder));
        if (weights) {
            INGLE_TRY_ASSIGN(ModelFile model, openFile(*weights, part));
            model.path = folder.path();
            return model;
        }
        INGLE_TRY_ASSIGN(const auto names, folder.names(kMaxNames));
        for (const std::string& name : names) {
            const auto below = folder.findSibling(name);  // what leads elsewhere is left alone
            if (below && *below && (*below)->isFolder()) INGLE_TRY(look(**below));
        }
    }
    if (models.size() > 1)
        return tl::unexpected(refused<ErrorId::SeveralModels>(
            folder.path(), fmt::format("the folder holds {} models; open one of them", models.size()),
            models.size()));
    if (models.size() == 1) return openFile(models.front(), part);
    return withId<ErrorId::NotAModel>(
        fail(ErrorCode::Unsupported,
             "{}: the folder holds no model.safetensors, pytorch_model.bin or GGUF file", folder.path()),
        folder.path());
}

}  // namespace

Result<ModelFile> openModelFile(const io::Source& source, ModelPart part) {
    return source.isFolder() ? openFolder(source, part) : openFile(source, part);
}

}  // namespace ingle::formats
