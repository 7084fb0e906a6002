/// What people drop or name: each thing is opened like a model, and the table of kinds says what came of it.
#include "ingle/recognition.h"

#include <algorithm>
#include <filesystem>

#include "engine/formats/file_reader.h"
#include "engine/formats/kind.h"
#include "engine/session/loading/model.h"
#include "engine/session/loading/speed_forecast.h"
#include "ingle/error_ids.h"
#include "ingle/shown_text.h"
#include "ingle/size_text.h"

namespace ingle {
namespace {

/// What stands for all files of a model: the folder whose files say only together what it is, or the first
/// part.
std::string whole(const formats::ModelFile& file) {
    for (const formats::FileReader* reader : formats::allReaders()) {
        for (const io::Source& source : file.sources) {
            if (std::ranges::find(reader->leads, source.name()) == reader->leads.end()) continue;
            const std::string folder = std::filesystem::path(source.path()).parent_path().string();
            return folder.empty() ? "." : folder;
        }
    }
    return file.sources.empty() ? file.path : file.sources.front().path();
}

/// "Qwen3 8B, as published (BF16): 16.4 GB; it can be used as it is, or made smaller: 5.0 GB"
std::string sentenceOf(const Recognition& model) {
    const ModelInfo& info = model.info;
    const bool isPublished = model.can(ModelAction::MakeSmaller);
    std::string sentence = fmt::format("{}{} ({}): {}", shown(info.name), isPublished ? ", as published" : "",
                                       mainQuant(info), sizeText(info.fileBytes));
    if (isPublished)
        sentence +=
            fmt::format("; it can be used as it is, or made smaller: {}", sizeText(info.smallerBytes));
    return sentence;
}

Recognition refused(const std::string& path, Error error) {
    const formats::Kind& kind = formats::kindOf(error);
    return {.kind = std::string(kind.name),
            .path = path,
            .sentence = error.message,
            .actions = {kind.actions.begin(), kind.actions.end()},
            .info = {},
            .refusal = std::move(error)};
}

Recognition recogniseOne(const std::string& path, const LoadOptions& options) {
    const auto source = io::Source::open(path);
    if (!source) return refused(path, source.error());
    const auto opened = session::openModel(*source, options);
    if (!opened) return refused(path, opened.error());
    const session::OpenedModel& model = **opened;
    const formats::Kind& kind = formats::kindOf(model.file);
    Recognition known{.kind = std::string(kind.name),
                      .path = whole(model.file),
                      .sentence = {},
                      .actions = {kind.actions.begin(), kind.actions.end()},
                      .info = model.info,
                      .refusal = {}};
    if (known.info.smallerBytes == 0) std::erase(known.actions, ModelAction::MakeSmaller);
    known.info.path = known.path;
    if (const auto speed = session::foretoldTokensPerSecond(model, options))
        known.info.foretoldTokensPerSecond = *speed;
    known.sentence = sentenceOf(known);
    return known;
}

std::filesystem::path folderOf(const Recognition& each) {
    return std::filesystem::path(each.path).lexically_normal().parent_path();
}

/// Whether `each` is what `other` says already: the same model, another part of one, or a file of its folder
/// that is no model.
bool isSaidBy(const Recognition& each, const Recognition& other) {
    if (each.path == other.path) return true;
    if (!each.refusal) return false;
    if (other.refusal)
        return each.refusal->id == other.refusal->id && each.kind == "part" &&
               folderOf(each) == folderOf(other);
    const bool isBeside = folderOf(each) == folderOf(other) ||
                          folderOf(each) == std::filesystem::path(other.path).lexically_normal();
    return each.kind == "unknown" && isBeside;
}

}  // namespace

std::vector<Recognition> recognise(std::span<const std::string> paths, const LoadOptions& options) {
    std::vector<Recognition> all;
    for (const std::string& path : paths) all.push_back(recogniseOne(path, options));
    std::stable_partition(all.begin(), all.end(), [](const Recognition& each) { return !each.refusal; });
    std::vector<Recognition> told;
    for (Recognition& each : all) {
        const bool isSaid =
            std::ranges::any_of(told, [&](const Recognition& other) { return isSaidBy(each, other); });
        if (!isSaid) told.push_back(std::move(each));
    }
    return told;
}

}  // namespace ingle
