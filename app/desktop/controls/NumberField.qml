// A number in a range, as the person's language writes it: "0,8" or "0.8". What cannot be read, or lies outside, is not
// taken, and the range is said.
import QtQuick
import QtQuick.Layouts
import Inglenook

ColumnLayout {
    id: number

    required property string label
    /// As it is kept: digits and a point; empty where `mayBeEmpty`.
    required property string value
    required property real from
    required property real to
    property int decimals: 0
    property bool mayBeEmpty: false
    /// What holds while it is empty.
    property string usual
    property string fieldName

    /// Another number, or none.
    signal entered(string value)

    function shown(kept: string): string {
        return kept.replace(".", Qt.locale().decimalPoint);
    }
    /// As it is kept; undefined where it is no number of the range.
    function read(text: string): var {
        const plain = text.trim().replace(Qt.locale().decimalPoint, ".").replace(",", ".");
        if (plain.length === 0)
            return mayBeEmpty ? "" : undefined;
        const form = decimals > 0 ? new RegExp("^\\d+(\\.\\d{0," + decimals + "})?$|^\\.\\d{1," + decimals + "}$")
                                  : /^\d+$/;
        const read = Number(plain);
        if (!form.test(plain) || read < from || read > to)
            return undefined;
        return decimals > 0 ? String(read) : plain.replace(/^0+(?=\d)/, "");
    }
    function showKept() {
        field.text = shown(value);
    }

    spacing: Theme.xs
    onValueChanged: if (read(field.text) !== value)
        showKept()
    Component.onCompleted: showKept()

    InputField {
        id: field

        readonly property bool isRead: number.read(text) !== undefined

        objectName: number.fieldName
        Layout.fillWidth: true
        implicitWidth: 96
        label: number.label
        isWrong: !isRead
        placeholderText: number.shown(number.usual)
        onTextEdited: {
            const now = number.read(text);
            if (now !== undefined && now !== number.value)
                number.entered(now);
        }
        onActiveFocusChanged: if (!activeFocus && isRead)
            number.showKept()
        Accessible.description: isRead ? "" : range.text
    }
    Text {
        id: range
        objectName: number.fieldName + "-range"
        Layout.fillWidth: true
        textFormat: Text.PlainText
        visible: !field.isRead
        text: qsTr("%1 to %2").arg(Number(number.from).toLocaleString(Qt.locale(), "f", 0))
                              .arg(Number(number.to).toLocaleString(Qt.locale(), "f", 0))
        color: Theme.danger
        font.pixelSize: Theme.smallSize - 1
        wrapMode: Text.Wrap
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }
}
