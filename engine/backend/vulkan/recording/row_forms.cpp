#include "engine/backend/vulkan/recording/row_forms.h"

namespace ingle::backend::vulkan {

uint64_t rowFormBytes(RowForm form, uint32_t width, uint32_t rows) {
    switch (form) {
        case RowForm::Halves:
            return uint64_t{rows} * ((width + 63) / 64 * 64) * 2;
        case RowForm::Bytes: {
            const uint64_t groups = (width + 31) / 32;
            return rows * (2 * groups + (groups + 1) / 2) * 16;
        }
    }
    return 0;
}

}  // namespace ingle::backend::vulkan
