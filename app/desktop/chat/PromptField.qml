// A field of a prompt with its name above, which stays while it is filled in.
import QtQuick
import QtQuick.Layouts
import Inglenook

ColumnLayout {
    id: field

    required property string modelData
    required property int index
    readonly property alias text: input.text

    signal accepted

    function takeFocus() {
        input.forceActiveFocus();
    }

    spacing: Theme.xs
    Component.onCompleted: {
        if (index === 0)
            takeFocus();
    }

    Text {
        objectName: "fieldName-" + field.index
        Layout.fillWidth: true
        textFormat: Text.PlainText
        text: field.modelData
        color: Theme.mutedText
        font.pixelSize: Theme.smallSize
        elide: Text.ElideRight
        Accessible.ignored: true // the field says it
    }
    InputField {
        id: input
        objectName: "field-" + field.index
        Layout.fillWidth: true
        label: field.modelData
        onAccepted: field.accepted()
    }
}
