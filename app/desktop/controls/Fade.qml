// The page's edge, where what scrolls goes under something.
import QtQuick
import Inglenook

Rectangle {
    height: Theme.l
    gradient: Gradient {
        GradientStop {
            position: 0
            color: Theme.window
        }
        GradientStop {
            position: 1
            color: Qt.rgba(Theme.window.r, Theme.window.g, Theme.window.b, 0)
        }
    }
}
