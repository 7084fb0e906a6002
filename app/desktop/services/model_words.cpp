#include "app/desktop/services/model_words.h"

#include <QLocale>

#include <cmath>

#include "app/desktop/services/model_list_model.h"
#include "app/desktop/services/size_text.h"

namespace ingle::desktop {

QString speedText(double tokensPerSecond) {
    const double words = tokensPerSecond * kWordsPerToken;
    if (words <= 0) return {};
    if (words < 0.75) return ModelListModel::tr("about %1 seconds a word").arg(std::ceil(1 / words));
    if (words < 1.5) return ModelListModel::tr("about one word a second");
    return ModelListModel::tr("about %1 words a second").arg(std::round(words));
}

QString measuredText(double tokensPerSecond) {
    if (tokensPerSecond <= 0) return {};
    return ModelListModel::tr("%1 tokens per second measured")
        .arg(QLocale().toString(tokensPerSecond, 'f', tokensPerSecond < 10 ? 1 : 0));
}

QString fitText(const MemoryEstimate& memory) {
    if (memory.fits()) return {};
    return ModelListModel::tr("needs %1 of memory, and %2 are free")
        .arg(sizeText(memory.needBytes()), sizeText(memory.availableBytes));
}

QString fileText(library::FileState file) {
    if (file == library::FileState::Missing) return ModelListModel::tr("The file is missing.");
    if (file == library::FileState::Changed)
        return ModelListModel::tr("The file has changed since it was last used.");
    return {};
}

}  // namespace ingle::desktop
