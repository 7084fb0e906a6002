#include "app/desktop/settings/device_choices.h"

#include <utility>

#include "app/desktop/services/text.h"

namespace ingle::desktop {

DeviceChoices::DeviceChoices(EngineClient& engine, Settings& settings, QObject* parent)
    : QObject(parent), m_engine(engine), m_settings(settings) {
    connect(&engine, &EngineClient::devicesListed, this, [this](const ingle::DeviceList& list) {
        m_graphics.clear();
        for (size_t i = 1; i < list.devices.size(); ++i) {
            if (list.devices[i].use != DeviceUse::Never) m_graphics.append(toQString(list.devices[i].name));
        }
        m_graphics.removeDuplicates();
        update();
    });
    connect(&settings, &Settings::changed, this, &DeviceChoices::update);
    update();
}

void DeviceChoices::update() {
    const auto choice = [](const QString& value, const QString& name) {
        return QVariantMap{{"value", value}, {"name", name}};
    };
    QVariantList choices{choice({}, tr("Automatic")), choice(kProcessorDevice, tr("Processor"))};
    for (const QString& name : m_graphics) choices.append(choice(name, name));
    const QString& set = m_settings.device();
    const bool isListed = set.isEmpty() || set == kProcessorDevice || m_graphics.contains(set);
    if (!isListed) choices.append(choice(set, set));
    // A button must not vanish while it is being clicked.
    if (choices != std::exchange(m_choices, choices)) emit choicesChanged();
}

void DeviceChoices::refresh() {
    m_engine.listDevices();
}

}  // namespace ingle::desktop
