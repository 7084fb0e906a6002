#include "app/desktop/models/model_words.h"

#include <QLocale>

#include <cmath>

#include "app/desktop/models/model_library.h"
#include "app/desktop/services/size_text.h"

namespace ingle::desktop {

QString speedText(double tokensPerSecond) {
    const double words = tokensPerSecond * kWordsPerToken;
    if (words <= 0) return {};
    if (words < 0.75)
        return ModelLibrary::tr("about %1 seconds a word")
            .arg(QLocale().toString(std::ceil(1 / words), 'f', 0));
    if (words < 1.5) return ModelLibrary::tr("about one word a second");
    return ModelLibrary::tr("about %1 words a second").arg(QLocale().toString(words, 'f', 0));
}

QString measuredText(double tokensPerSecond) {
    if (tokensPerSecond <= 0) return {};
    return ModelLibrary::tr("%1 tokens per second measured")
        .arg(QLocale().toString(tokensPerSecond, 'f', tokensPerSecond < 10 ? 1 : 0));
}

QString fitText(const MemoryEstimate& memory) {
    if (memory.fits()) return {};
    return ModelLibrary::tr("needs %1 of memory, and %2 are free")
        .arg(sizeText(memory.needBytes()), sizeText(memory.availableBytes));
}

QString fileText(library::FileState file) {
    if (file == library::FileState::Missing) return ModelLibrary::tr("The file is missing.");
    if (file == library::FileState::Changed)
        return ModelLibrary::tr("The file has changed since it was last used.");
    return {};
}

}  // namespace ingle::desktop
