#include "app/content/exporter.h"

#include <algorithm>

namespace ingle::content {

const Exporter* findExporter(std::string_view name) {
    const auto found = std::ranges::find(allExporters(), name, &Exporter::name);
    return found == allExporters().end() ? nullptr : *found;
}

}  // namespace ingle::content
