// What the settings and the desktop say about the look of everything.
import QtQuick
import Inglenook

Item {
    id: bindings

    required property Services services
    required property PrivateChat secret

    visible: false

    Binding {
        target: Theme
        property: "dark"
        value: bindings.services.settings.theme === "dark"
            || (bindings.services.settings.theme !== "light" && bindings.services.portal.prefersDark)
    }
    Binding {
        target: Theme
        property: "secret"
        value: bindings.secret.shown
    }
    Binding {
        target: Theme
        property: "textScale"
        value: bindings.services.settings.textScale / 100
    }
    Binding {
        target: Theme
        property: "reducedMotion"
        value: bindings.services.portal.reducesMotion
    }
    Binding {
        target: Theme
        property: "fixedFontFamily"
        value: bindings.services.portal.fixedFontFamily
    }
}
