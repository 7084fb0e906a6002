/// The compute shaders of shaders/, compiled at build time (cmake/Shaders.cmake).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ingle::backend::vulkan {

struct Shader {
    std::string_view name;            ///< of the file or of the variant it lists
    std::span<const uint32_t> words;  ///< SPIR-V
};

std::span<const Shader> allShaders();

/// Null when there is none of this name.
const Shader* findShader(std::string_view name);

}  // namespace ingle::backend::vulkan
