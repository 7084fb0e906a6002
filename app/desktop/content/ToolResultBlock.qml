// What a tool said.
import QtQuick
import Inglenook

Folded {
    required property string label

    title: qsTr("Result of %1").arg(label)
    iconName: "check"
}
