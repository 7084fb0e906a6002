#include "engine/quant/scale_search.h"

#include "engine/base/cpu_features.h"

namespace ingle::quant {

extern const ScaleKernels baselineScaleKernels;
#if defined(__x86_64__) && !defined(INGLE_NO_SIMD)
extern const ScaleKernels avx2ScaleKernels;
extern const ScaleKernels avx512ScaleKernels;
#endif

const ScaleKernels& scaleKernels() {
    static const ScaleKernels& kernels = []() -> const ScaleKernels& {
#if defined(__x86_64__) && !defined(INGLE_NO_SIMD)
        // An instruction set that is asked for in vain is told where models are loaded.
        const base::Isa isa = base::chooseIsa().value_or(base::Isa::Scalar);
        if (isa == base::Isa::Avx512) return avx512ScaleKernels;
        if (isa >= base::Isa::Avx2) return avx2ScaleKernels;
#endif
        return baselineScaleKernels;
    }();
    return kernels;
}

}  // namespace ingle::quant
