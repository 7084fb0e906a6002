#include "engine/backend/vulkan/substrate/shaders.h"

#include <algorithm>

namespace ingle::backend::vulkan {

const Shader* findShader(std::string_view name) {
    const auto shaders = allShaders();
    const auto found = std::ranges::find(shaders, name, &Shader::name);
    return found == shaders.end() ? nullptr : &*found;
}

}  // namespace ingle::backend::vulkan
