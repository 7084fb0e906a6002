#include "app/desktop/services/library_models.h"

#include "app/desktop/services/text.h"
#include "app/library/display_name.h"
#include "app/protocol/remote.h"

#include <filesystem>
#include <optional>

namespace ingle::desktop {

using library::FileState;
using library::ModelEntry;
using library::ModelPurpose;

namespace {

/// "llama · 1.1B · Q4_K"
std::string summaryOf(const ModelInfo& info) {
    std::string summary = info.family;
    const auto parameters = static_cast<double>(info.numParameters);
    if (parameters >= 1e9) {
        summary += fmt::format(" · {:.1f}B", parameters / 1e9);
    } else if (parameters > 0) {
        summary += fmt::format(" · {:.1f}M", parameters / 1e6);
    }
    if (const std::string quant = mainQuant(info); !quant.empty()) summary += " · " + quant;
    return summary;
}

/// A missing model whose file this is: same size and same content at both ends, or the same name where that
/// is not known.
std::optional<ModelEntry> movedFrom(const library::Library& library, const std::string& path,
                                    const library::Fingerprint& file) {
    const auto name = std::filesystem::path(path).filename();
    for (const ModelEntry& entry : library.models()) {
        const uint64_t known = entry.fingerprint.headHash;
        const bool sameContent = known != library::Fingerprint::kNoHash
                                     ? known == file.headHash
                                     : std::filesystem::path(entry.path).filename() == name;
        if (entry.fingerprint.bytes == file.bytes && sameContent &&
            library::checkFile(entry) == FileState::Missing) {
            return entry;
        }
    }
    return std::nullopt;
}

std::string legible(const std::string& name) {
    constexpr qsizetype kMostCharacters = 60;
    QString out;
    for (const QChar each : toQString(name)) {
        const bool isSeen = each.category() != QChar::Other_Format && each.category() != QChar::Other_Control;
        if (isSeen) out += each;
    }
    if (out.size() > kMostCharacters) out = out.left(kMostCharacters) + QStringLiteral("…");
    return out.toStdString();
}

}  // namespace

bool hasTokenizer(const ModelInfo& info) {
    return info.tokenizer != "none";
}

bool scoresPairs(const ModelInfo& info) {
    return info.promptFormat == "scores";
}

ModelPurpose purposeOf(const ModelInfo& info) {
    const bool writes = info.promptFormat != "none" && !scoresPairs(info);
    return !writes ? ModelPurpose::Embeddings : ModelPurpose::Chats;
}

EmbeddingModel embeddingModelOf(std::span<const ModelEntry> models) {
    const ModelEntry* last = nullptr;
    for (const ModelEntry& each : models) {
        const bool isLater = last == nullptr || each.addedAt > last->addedAt;
        if (each.purpose == ModelPurpose::Embeddings && isLater) last = &each;
    }
    if (last == nullptr) return {};
    return {fmt::format("{:016x}-{}", last->fingerprint.headHash, last->fingerprint.bytes), last->path};
}

Result<CheckedModel> checkModel(const library::Library& library, const std::string& id) {
    const auto entry = library.findById(id);
    if (!entry) return fail(ErrorCode::InvalidArgument, "This model is no longer in the library.");
    return CheckedModel{*entry, library::checkFile(*entry)};
}

Result<CheckedModel> addModel(library::Library& library, const ModelInfo& info) {
    INGLE_TRY(library.reload());
    INGLE_TRY_ASSIGN(const auto file, library::fingerprint(info.path));
    if (const auto moved = movedFrom(library, info.path, file)) {
        INGLE_TRY(library.relocate(moved->id, info.path));
        return checkModel(library, moved->id);
    }
    // A smaller file says that it is the same model: in the library it goes by its own name then.
    const auto namesake = library.findByName(info.name);
    const std::string name = namesake && namesake->path != info.path
                                 ? std::filesystem::path(info.path).stem().string()
                                 : info.name;
    INGLE_TRY_ASSIGN(const auto entry,
                     library.add(info.path, name, info.family, summaryOf(info), purposeOf(info)));
    if (info.seesPictures != entry.seesPictures) INGLE_TRY(library.markSight(entry.id, info.seesPictures));
    return CheckedModel{entry, FileState::Same};
}

QString nameOf(const ModelEntry& entry) {
    // Another computer's names are no names of files: what they end with tells them apart.
    return toQString(protocol::isRemote(entry.path) ? entry.name : library::displayName(entry.name));
}

ModelEntry remoteEntry(const std::string& path, const std::string& computer) {
    ModelEntry entry;
    entry.id = path;
    entry.path = path;
    entry.name = legible(path.substr(protocol::kRemotePrefix.size()));
    entry.family = protocol::kRemote;
    entry.summary = legible(computer);
    return entry;
}

std::vector<ModelEntry> remoteEntries(std::span<const Recognition> things) {
    std::vector<ModelEntry> entries;
    for (const Recognition& thing : things)
        if (!thing.refusal) entries.push_back(remoteEntry(thing.path, thing.info.device));
    return entries;
}

}  // namespace ingle::desktop
