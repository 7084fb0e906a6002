// A call of a tool.
import QtQuick
import Inglenook

Folded {
    required property string label

    title: qsTr("Tool: %1").arg(label)
    iconName: "play"
}
