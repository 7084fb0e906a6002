// What the model thought before it answered.
import QtQuick
import Inglenook

Folded {
    objectName: "thought"
    title: growing ? qsTr("Thinking…") : qsTr("Thoughts")
}
