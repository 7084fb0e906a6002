/// The pictures and sidecars of ../shared/golden/vision.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ingle/pictures.h"
#include "tests/engine/vision/png_file.h"
#include "tests/golden.h"

namespace ingle::test {

inline std::filesystem::path visionFolder() {
    return goldenRoot() / "vision";
}

/// Nothing is rounded that need not be. The other engine takes files of Gemma 4, which state no activation,
/// to mean the quick GELU.
inline LoadOptions exactOptions(const std::string& type) {
    LoadOptions options;
    options.backend = BackendChoice::Cpu;
    options.kv = KvType::F32;
    options.activations = ActivationType::F32;
    options.threads = 2;
    options.contextTokens = 4096;
    options.loadAnyway = true;
    if (type.starts_with("gemma4v")) options.overrides["clip.use_gelu"] = "false";
    return options;
}

/// Sidecars of a type, by the name of their entry. Two frames of a video that become one picture are not
/// computed yet.
inline std::map<std::string, nlohmann::json> sidecarsOf(const std::string& type) {
    std::map<std::string, nlohmann::json> entries;
    for (const auto& file : std::filesystem::directory_iterator(visionFolder())) {
        const std::string stem = file.path().stem();
        if (file.path().extension() != ".json" || !stem.starts_with(type + "-")) continue;
        const std::string entry = stem.substr(type.size() + 1);
        if (entry.find('-') != std::string::npos || entry == "frames") continue;
        entries[entry] = readJson(file.path());
    }
    return entries;
}

inline std::optional<PictureTokens> tokensOf(const nlohmann::json& sidecar) {
    const nlohmann::json& option = sidecar["image_tokens_option"];
    if (option.is_null()) return std::nullopt;
    return PictureTokens{option["min"], option["max"]};
}

inline std::vector<Picture> picturesOf(const nlohmann::json& sidecar) {
    std::vector<Picture> pictures;
    for (const nlohmann::json& name : sidecar["images"])
        pictures.push_back(readPng(visionFolder() / name.get<std::string>()));
    return pictures;
}

inline std::vector<float> floatsOf(const nlohmann::json& sidecar, const char* key) {
    return sidecar.contains(key) && sidecar[key].is_string()
               ? readFloats(visionFolder() / sidecar[key].get<std::string>())
               : std::vector<float>();
}

/// Whether the other engine's rows are not those of the model's own code.
inline bool deviates(const std::map<std::string, nlohmann::json>& entries) {
    return entries.at("shapes").contains("embd_reference");
}

/// The pictures of an entry as our engine encodes them, or with the other engine's rows where these deviate.
inline std::vector<EncodedPicture> encodedPictures(const std::map<std::string, nlohmann::json>& entries,
                                                   const nlohmann::json& sidecar, const std::string& type) {
    const auto encoder = PictureEncoder::load(visionFolder() / sidecar["mmproj"].get<std::string>(),
                                              exactOptions(type), tokensOf(sidecar));
    std::vector<EncodedPicture> encoded;
    if (!encoder) ADD_FAILURE() << encoder.error().message;
    if (!encoder) return encoded;
    for (const Picture& picture : picturesOf(sidecar)) {
        auto one = (*encoder)->encode(picture);
        if (!one) ADD_FAILURE() << one.error().message;
        if (!one) continue;
        const std::filesystem::path name = sidecar["images"][encoded.size()].get<std::string>();
        if (deviates(entries)) one->rows = floatsOf(entries.at(name.stem()), "embd");
        encoded.push_back(*std::move(one));
    }
    return encoded;
}

constexpr const char* kVisionTypes[] = {"qwen3vl",  "qwen3vl-plain", "gemma4v",   "gemma4v-ple", "gemma3",
                                        "pixtral",  "pixtral-12b",   "qwen2.5vl", "qwen2vl",     "llava",
                                        "minicpmv", "minicpmv4.6",   "idefics3",  "internvl",    "lfm2",
                                        "llava16",  "gemma4uv",      "llama4",    "muse-glimmer"};

/// As a test may be named.
inline std::string nameOfType(std::string type) {
    for (char& c : type)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return type;
}

}  // namespace ingle::test
