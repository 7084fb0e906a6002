#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats {

const Architecture* findArchitecture(std::string_view name, const Config& config) {
    const Architecture* usual = nullptr;
    for (const ArchitectureGroup* group : allArchitectures()) {
        for (const Architecture& architecture : group->architectures) {
            if (architecture.name != name) continue;
            if (architecture.suits && architecture.suits(config)) return &architecture;
            if (!architecture.suits) usual = &architecture;
        }
    }
    return usual;
}

}  // namespace ingle::formats
