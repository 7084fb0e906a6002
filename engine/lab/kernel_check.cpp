#include "engine/lab/kernel_check.h"

#include "engine/base/cpu_features.h"
#include "engine/session/devices/backends.h"
#include "engine/session/devices/self_check.h"
#include "engine/session/loading/model.h"

namespace ingle::lab {

Status checkKernels(const std::string& path, const LoadOptions& load) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(const auto model, session::openModel(source, load));
    INGLE_TRY(model->file.expand(load.threads ? load.threads : base::physicalCores()));
    INGLE_TRY_ASSIGN(const auto fast, session::createProcessor(load));
    LoadOptions plain = load;
    plain.referenceKernels = true;
    return session::checkDevice(*fast, model->bound, model->contextTokens, plain);
}

}  // namespace ingle::lab
