/// The keys of one architecture in a file's metadata: "<arch>.<key>".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/model_file.h"

namespace ingle::models {

/// As formats::Metadata reads them, without the architecture in front. A family names each key it reads:
/// files may hold those of others, with any values.
class Keys {
  public:
    /// `file` outlives this; `contextTokens`: see openDefinition(). Errors: Corrupt, when it states no
    /// architecture.
    static Result<Keys> of(const formats::ModelFile& file, uint32_t contextTokens = 0);

    const formats::ModelFile& file() const { return *m_file; }
    const std::string& arch() const { return m_arch; }
    uint32_t contextTokens() const { return m_contextTokens; }

    Result<uint32_t> u32(std::string_view key) const { return metadata().u32(full(key)); }
    Result<uint32_t> u32Or(std::string_view key, uint32_t fallback) const {
        return metadata().u32Or(full(key), fallback);
    }
    Result<float> f32(std::string_view key) const { return metadata().f32(full(key)); }
    Result<float> f32Or(std::string_view key, float fallback) const {
        return metadata().f32Or(full(key), fallback);
    }
    Result<bool> boolOr(std::string_view key, bool fallback) const {
        return metadata().boolOr(full(key), fallback);
    }
    Result<std::string> stringOr(std::string_view key, std::string fallback) const {
        return metadata().stringOr(full(key), std::move(fallback));
    }
    bool isArray(std::string_view key) const;
    /// How many of the blocks, the last ones, predict further tokens.
    Result<uint32_t> numPredicting() const { return u32Or("nextn_predict_layers", 0); }
    /// One number for all layers, or one for each: as many as there are layers. Those of layers that predict
    /// further tokens may stand behind them.
    Result<std::vector<uint32_t>> perLayer(std::string_view key, uint32_t numLayers) const;
    /// `fallback`, one for each layer, where the key is absent.
    Result<std::vector<uint32_t>> perLayerOr(std::string_view key, std::vector<uint32_t> fallback) const;
    /// As perLayer(), of numbers of any kind.
    Result<std::vector<float>> numberPerLayerOr(std::string_view key, uint32_t numLayers,
                                                float fallback) const;

    /// An array of any length, none below 0.
    Result<std::vector<uint32_t>> numbers(std::string_view key) const;

    /// The error of a value that no model has.
    template <typename T>
    tl::unexpected<Error> cannotBe(std::string_view key, T value) const {
        return fail(ErrorCode::Corrupt, "{}: {} cannot be {}", m_file->path, key, value);
    }

  private:
    Keys(const formats::ModelFile& file, std::string arch, uint32_t contextTokens)
        : m_file(&file), m_arch(std::move(arch)), m_contextTokens(contextTokens) {}

    const formats::Metadata& metadata() const { return m_file->metadata; }
    std::string full(std::string_view key) const { return fmt::format("{}.{}", m_arch, key); }

    const formats::ModelFile* m_file;
    std::string m_arch;
    uint32_t m_contextTokens;
};

}  // namespace ingle::models
