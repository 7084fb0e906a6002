// Source: UKPLab/sentence-transformers, SentenceTransformer.py (modules.json) and models/Pooling.py.
#include "engine/formats/checkpoint/pooling_files.h"

#include "engine/formats/checkpoint/json_flattener.h"
#include "ingle/error_ids.h"

namespace ingle::formats {

Status addPooling(Checkpoint& checkpoint, const io::Source& source, Config& config) {
    INGLE_TRY_ASSIGN(const auto list, findText(checkpoint, source, "modules.json"));
    if (!list) return {};
    // A list, where the reader of JSON knows objects only.
    const auto modules = flattenJson(fmt::format("{{\"modules\": {}}}", *list));
    if (!modules) return happenedTo("modules.json", modules.error());
    for (size_t i = 0;; ++i) {
        const auto part = [&](std::string_view name) {
            return modules->stringOr(fmt::format("modules.{}.{}", i, name), "").value_or("");
        };
        const std::string type = part("type"), path = part("path");
        if (type.empty()) return {};
        const std::string_view name = std::string_view(type).substr(type.rfind('.') + 1);
        if (name == "Transformer" || name == "Normalize") continue;
        if (name != "Pooling")
            return fail(ErrorCode::Unsupported, "embeddings with the module \"{}\" are not supported",
                        shown(type));
        INGLE_TRY_ASSIGN(const io::Source folder, source.sibling(path));
        INGLE_TRY_ASSIGN(const auto text, findText(checkpoint, folder, "config.json"));
        if (!text) return fail(ErrorCode::Corrupt, "{} holds no config.json", shown(path));
        const auto pooling = flattenJson(*text);
        if (!pooling) return happenedTo(path, pooling.error());
        for (const auto& [key, value] : pooling->all()) config.set(fmt::format("pooling.{}", key), value);
    }
}

}  // namespace ingle::formats
