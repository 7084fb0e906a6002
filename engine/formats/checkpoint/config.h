/// config.json, flattened, in which null is a value.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "engine/formats/model_file.h"

namespace ingle::formats {

/// As Metadata, but with keys that hold null. transformers takes None then, and not what it takes where the
/// key is absent; what None means, the code of each model decides. So whoever asks for a value that may be
/// absent says, too, what null stands for (`ifNull`), or else a null is an error that names the key. find()
/// knows only values. A list of nothing is as null: it is no truth in Python, either.
class Config : private Metadata {
  public:
    using Nulls = std::set<std::string, std::less<>>;

    /// `values` has no keys of `nulls`. Of formats that have no null, any values.
    Config(Metadata values = {}, Nulls nulls = {}) : Metadata(std::move(values)), m_nulls(std::move(nulls)) {}

    using Metadata::all;
    using Metadata::set;
    const MetaValue* find(std::string_view key) const {
        m_asked.emplace(key);
        return Metadata::find(key);
    }
    bool isNull(std::string_view key) const {
        m_asked.emplace(key);
        return m_nulls.contains(key);
    }
    /// Whether somebody has asked for it: it is understood.
    bool wasAsked(std::string_view key) const { return m_asked.contains(key); }

    Result<uint32_t> u32(std::string_view key) const { return known(key, &Metadata::u32); }
    Result<float> f32(std::string_view key) const { return known(key, &Metadata::f32); }
    Result<std::string> string(std::string_view key) const { return known(key, &Metadata::string); }

    Result<uint32_t> u32Or(std::string_view key, uint32_t ifAbsent) const {
        return known(key, &Metadata::u32Or, ifAbsent);
    }
    Result<uint32_t> u32Or(std::string_view key, uint32_t ifAbsent, uint32_t ifNull) const {
        return Metadata::u32Or(key, isNull(key) ? ifNull : ifAbsent);
    }
    Result<float> f32Or(std::string_view key, float ifAbsent) const {
        return known(key, &Metadata::f32Or, ifAbsent);
    }
    Result<float> f32Or(std::string_view key, float ifAbsent, float ifNull) const {
        return Metadata::f32Or(key, isNull(key) ? ifNull : ifAbsent);
    }
    /// None is no truth in Python.
    Result<bool> boolOr(std::string_view key, bool ifAbsent) const {
        return Metadata::boolOr(key, !isNull(key) && ifAbsent);
    }
    Result<std::string> stringOr(std::string_view key, std::string ifAbsent) const {
        return known(key, &Metadata::stringOr, std::move(ifAbsent));
    }
    Result<std::string> stringOr(std::string_view key, std::string ifAbsent, std::string ifNull) const {
        return Metadata::stringOr(key, std::move(isNull(key) ? ifNull : ifAbsent));
    }

  private:
    template <typename Getter, typename... Fallback>
    std::invoke_result_t<Getter, const Metadata&, std::string_view, Fallback...> known(
        std::string_view key, Getter getter, Fallback... fallback) const {
        if (isNull(key))
            return fail(ErrorCode::Unsupported,
                        "'{}' is null or empty, which is not supported for such models", key);
        return std::invoke(getter, static_cast<const Metadata&>(*this), key, std::move(fallback)...);
    }

    Nulls m_nulls;
    mutable Nulls m_asked;
};

/// That no key is left which nobody has asked for, though it tells how a model computes, unless it holds what
/// changes nothing. Errors: Unsupported, naming the key.
Status expectUnderstood(const Config& config);

/// The text of a config.json; what it says of the text model ("text_config") stands in front of what it says
/// of all. Errors: Corrupt.
Result<Config> parseConfig(std::string_view text);

}  // namespace ingle::formats
