#include "app/desktop/models/fit_advice.h"

#include <QLocale>

#include "app/desktop/services/size_text.h"
#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

QString textOf(const FitChoice& choice) {
    const QString need = sizeText(choice.needBytes);
    const QString tokens = QLocale().toString(choice.contextTokens);
    switch (choice.remedy) {
        case FitRemedy::ShorterContext:
            if (choice.kv == KvType::Q8)
                return FitAdvice::tr("Shorter context and smaller cache: %1 tokens, %2").arg(tokens, need);
            return FitAdvice::tr("Shorter context: %1 tokens, %2").arg(tokens, need);
        case FitRemedy::SmallerCache:
            return FitAdvice::tr("Smaller cache (8 bits): %1").arg(need);
        case FitRemedy::SmallerModel:
            return FitAdvice::tr("Make it smaller: %1").arg(need);
    }
    return {};
}

}  // namespace

FitAdvice::FitAdvice(EngineClient& engine, ModelInUse& models, Settings& settings, QObject* parent)
    : QObject(parent), m_models(models), m_settings(settings) {
    connect(&engine, &EngineClient::loadRefused, this, &FitAdvice::explain);
}

void FitAdvice::explain(const MemoryEstimate& memory) {
    m_fitting = memory.choices;
    m_sentence = tr("%1 needs %2 of memory; %3 of %4 are free. Closing other programs may help, too.")
                     .arg(m_models.currentName(), sizeText(memory.needBytes()),
                          sizeText(memory.availableBytes), sizeText(memory.usableBytes));
    m_choices.clear();
    for (const FitChoice& choice : m_fitting) m_choices.append(textOf(choice));
    emit changed();
    emit wanted();
}

void FitAdvice::choose(int index) {
    if (index < 0 || static_cast<size_t>(index) >= m_fitting.size()) return;
    const FitChoice& choice = m_fitting[static_cast<size_t>(index)];
    if (choice.remedy == FitRemedy::SmallerModel)
        return emit smallerWanted(toQString(m_models.current().path));
    LoadOptions options = m_settings.loadOptions();
    options.contextTokens = choice.contextTokens;
    options.kv = choice.kv;
    m_models.loadAgain(options);
}

void FitAdvice::loadAnyway() {
    LoadOptions options = m_settings.loadOptions();
    options.loadAnyway = true;
    m_models.loadAgain(options);
}

}  // namespace ingle::desktop
