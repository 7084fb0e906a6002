#include "engine/formats/checkpoint/config.h"

#include <algorithm>

#include "engine/formats/checkpoint/json_flattener.h"

namespace ingle::formats {

Result<Config> parseConfig(std::string_view text) {
    constexpr std::string_view kInner = "text_config.";
    JsonFlattener flattener;
    INGLE_TRY(walkJson(text, flattener));
    Config::Nulls nulls;
    std::vector<std::string> inner;
    for (const std::string& key : flattener.nulls()) {
        if (key.starts_with(kInner)) inner.push_back(key.substr(kInner.size()));
        nulls.insert(key.starts_with(kInner) ? inner.back() : key);
    }
    const auto isHidden = [&](std::string_view key) {
        return std::ranges::any_of(inner, [&](const std::string& null) {
            return key.starts_with(null) && (key.size() == null.size() || key[null.size()] == '.');
        });
    };
    const Metadata all = flattener.take();
    Metadata values;
    for (const auto& [key, value] : all.all())
        if (!isHidden(key)) values.set(key, value);
    for (const auto& [key, value] : all.all())
        if (key.starts_with(kInner)) values.set(key.substr(kInner.size()), value);
    // The class of the whole decides, not that of its part …
    if (const MetaValue* classes = all.find("architectures")) values.set("architectures", *classes);
    // … and it has a head of its own, unless both say that it has none.
    const std::string kTied = "tie_word_embeddings";
    if (const MetaValue* tied = all.find(kTied); tied && *tied == MetaValue(false)) values.set(kTied, *tied);
    std::erase_if(nulls, [&](const std::string& key) { return values.find(key) != nullptr; });
    return Config(std::move(values), std::move(nulls));
}

}  // namespace ingle::formats
