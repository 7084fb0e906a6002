#include "app/desktop/services/settings.h"

#include <QMetaProperty>
#include <QRandomGenerator>

#include <algorithm>
#include <array>
#include <map>

#include "app/desktop/services/text.h"
#include "app/history/store/settings.h"

namespace ingle::desktop {
namespace {

constexpr std::array kTextScales{70, 80, 90, 100, 110, 125, 150, 175, 200};

using Values = std::map<std::string, std::string>;

/// The names under which settings are stored are the names of the properties.
std::vector<QMetaProperty> storedProperties() {
    const QMetaObject& type = Settings::staticMetaObject;
    std::vector<QMetaProperty> properties;
    for (int i = type.propertyOffset(); i < type.propertyCount(); ++i) properties.push_back(type.property(i));
    return properties;
}

}  // namespace

Settings::Settings(StorageThread& storage, Notices& notices, QObject* parent)
    : QObject(parent), m_storage(storage), m_notices(notices) {
    for (const QMetaProperty& property : storedProperties()) m_defaults.append(property.read(this));
    connect(this, &Settings::changed, this, &Settings::save);
    load();
}

SamplerParams Settings::sampler() const {
    bool fixed = false;
    const uint64_t seed = m_seed.toULongLong(&fixed);
    return {.temperature = static_cast<float>(std::clamp(m_temperature, 0.0, 5.0)),
            .topK = std::max(m_topK, 0),
            .topP = static_cast<float>(std::clamp(m_topP, 0.0, 1.0)),
            .seed = fixed ? seed : QRandomGenerator::system()->generate64()};
}

history::Profile Settings::profile() const {
    const SamplerParams sampler = this->sampler();
    return {.systemPrompt = systemPrompt(),
            .temperature = rounded(sampler.temperature),
            .topK = sampler.topK,
            .topP = rounded(sampler.topP),
            .minP = rounded(sampler.minP),
            .repeatPenalty = rounded(sampler.repeatPenalty),
            .maxTokens = static_cast<uint32_t>(std::max(m_maxTokens, 0)),
            .contextTokens = static_cast<uint32_t>(std::max(m_contextTokens, 0)),
            .whenFull = m_whenFull == QLatin1String("refuse") ? WhenFull::Refuse : WhenFull::DropOldest,
            .form = history::AnswerForm{}};
}

Guesses Settings::guesses() const {
    if (m_guesses == QLatin1String("off")) return Guesses::Off;
    return m_guesses == QLatin1String(kLookUp) ? Guesses::LookUp : Guesses::Draft;
}

LoadOptions Settings::loadOptions() const {
    LoadOptions options;
    options.threads = static_cast<uint32_t>(std::max(m_threads, 0));
    options.contextTokens = static_cast<uint32_t>(std::max(m_contextTokens, 0));
    if (m_device == kProcessorDevice)
        options.backend = BackendChoice::Cpu;
    else
        options.device = m_device.toStdString();
    if (m_kvMemory == QLatin1String("main")) options.kvMemory = KvMemory::Main;
    return options;
}

void Settings::setTextScale(int percent) {
    m_textScale = std::clamp(percent, kTextScales.front(), kTextScales.back());
    emit changed();
}

void Settings::stepTextScale(int step) {
    if (step > 0) {
        const auto next = std::ranges::upper_bound(kTextScales, m_textScale);
        if (next != kTextScales.end()) setTextScale(*next);
    } else {
        const auto here = std::ranges::lower_bound(kTextScales, m_textScale);
        if (here != kTextScales.begin()) setTextScale(*std::prev(here));
    }
}

void Settings::restoreDefaults() {
    const auto properties = storedProperties();
    const auto setAll = [this, properties](const QVariantList& values) {
        for (size_t i = 0; i < properties.size(); ++i)
            properties[i].write(this, values[static_cast<qsizetype>(i)]);
    };
    QVariantList before;
    for (const QMetaProperty& property : properties) before.append(property.read(this));
    setAll(m_defaults);
    m_notices.showUndo(this, tr("Settings restored"), [setAll, before] { setAll(before); });
}

void Settings::load() {
    m_loading = true;
    const auto work = [](history::History& history) -> Result<Values> {
        Values values;
        for (const QMetaProperty& property : storedProperties()) {
            INGLE_TRY_ASSIGN(const auto value, history::setting(history, property.name()));
            if (value) values[property.name()] = *value;
        }
        return values;
    };
    m_storage.run(this, work, [this](const Result<Values>& values) {
        if (values) {
            for (const auto& [name, value] : *values) setProperty(name.c_str(), toQString(value));
        }
        m_loading = false;
        emit loaded();
    });
}

void Settings::save() {
    if (m_loading) return;
    Values values;
    for (const QMetaProperty& property : storedProperties()) {
        values[property.name()] = property.read(this).toString().toStdString();
    }
    const auto work = [values](history::History& history) -> Status {
        return history::setSettings(history, values);
    };
    // A setting that cannot be stored still holds for this run; the next write of a message reports the disk.
    m_storage.run(this, work, [](const Status&) {});
}

}  // namespace ingle::desktop
